"""Which facts about the world does it know by heart?

Each table is a text of `left: right` pairs, separated by semicolons. Nothing that changes from year
to year is in it: no population, no price, no living person.
"""

from __future__ import annotations

__all__ = [
    "CAPITALS",
    "CONTINENTS",
    "CURRENCIES",
    "ELEMENTS",
    "FACES",
    "HOLIDAYS",
    "LANGUAGES",
    "LEGS",
    "MIXTURES",
    "OPPOSITES",
    "PASTS",
    "PLANETS",
    "PLURALS",
    "SEASONS",
    "SIDES",
    "SOUNDS",
    "YOUNG",
    "pairs",
]


def pairs(table: str) -> tuple[tuple[str, str], ...]:
    """The pairs of a table.

    >>> pairs("France: Paris; Peru: Lima")
    (('France', 'Paris'), ('Peru', 'Lima'))
    """
    rows = (row.partition(":") for row in table.split(";"))
    return tuple((" ".join(left.split()), " ".join(right.split())) for left, _, right in rows)


CAPITALS = pairs("""
France: Paris; Germany: Berlin; Spain: Madrid; Italy: Rome; Portugal: Lisbon; Greece: Athens;
Austria: Vienna; Switzerland: Bern; Belgium: Brussels; the Netherlands: Amsterdam;
Denmark: Copenhagen; Norway: Oslo; Sweden: Stockholm; Finland: Helsinki; Iceland: Reykjavik;
Ireland: Dublin; the United Kingdom: London; Poland: Warsaw; the Czech Republic: Prague;
Slovakia: Bratislava; Hungary: Budapest; Romania: Bucharest; Bulgaria: Sofia; Serbia: Belgrade;
Croatia: Zagreb; Slovenia: Ljubljana; Albania: Tirana; Estonia: Tallinn; Latvia: Riga;
Lithuania: Vilnius; Ukraine: Kyiv; Russia: Moscow; Malta: Valletta; Cyprus: Nicosia;
Moldova: Chisinau; North Macedonia: Skopje; Montenegro: Podgorica; Turkey: Ankara;
Georgia: Tbilisi; Armenia: Yerevan; Azerbaijan: Baku; Israel: Jerusalem; Lebanon: Beirut;
Syria: Damascus; Jordan: Amman; Iraq: Baghdad; Iran: Tehran; Saudi Arabia: Riyadh; Oman: Muscat;
Qatar: Doha; Yemen: Sanaa; Afghanistan: Kabul; Pakistan: Islamabad; India: New Delhi;
Nepal: Kathmandu; Bangladesh: Dhaka; Thailand: Bangkok; Vietnam: Hanoi; Laos: Vientiane;
Cambodia: Phnom Penh; Malaysia: Kuala Lumpur; the Philippines: Manila; China: Beijing;
Japan: Tokyo; South Korea: Seoul; North Korea: Pyongyang; Mongolia: Ulaanbaatar;
Kazakhstan: Astana; Uzbekistan: Tashkent; Egypt: Cairo; Libya: Tripoli; Tunisia: Tunis;
Algeria: Algiers; Morocco: Rabat; Senegal: Dakar; Ghana: Accra; Nigeria: Abuja; Kenya: Nairobi;
Ethiopia: Addis Ababa; Sudan: Khartoum; Uganda: Kampala; Rwanda: Kigali; Somalia: Mogadishu;
Angola: Luanda; Zambia: Lusaka; Zimbabwe: Harare; Namibia: Windhoek; Mozambique: Maputo;
Madagascar: Antananarivo; Mali: Bamako; Cameroon: Yaounde; the United States: Washington;
Canada: Ottawa; Mexico: Mexico City; Cuba: Havana; Jamaica: Kingston; Panama: Panama City;
Costa Rica: San Jose; Guatemala: Guatemala City; Haiti: Port-au-Prince; Brazil: Brasilia;
Argentina: Buenos Aires; Chile: Santiago; Peru: Lima; Colombia: Bogota; Ecuador: Quito;
Venezuela: Caracas; Uruguay: Montevideo; Paraguay: Asuncion; Australia: Canberra;
New Zealand: Wellington; Fiji: Suva
""")

_BY_CONTINENT = pairs("""
Europe: France, Germany, Spain, Italy, Portugal, Greece, Austria, Switzerland, Belgium,
 the Netherlands, Denmark, Norway, Sweden, Finland, Iceland, Ireland, the United Kingdom, Poland,
 the Czech Republic, Slovakia, Hungary, Romania, Bulgaria, Serbia, Croatia, Slovenia, Albania,
 Estonia, Latvia, Lithuania, Ukraine, Malta, Moldova, North Macedonia, Montenegro;
Asia: Lebanon, Syria, Jordan, Iraq, Iran, Saudi Arabia, Oman, Qatar, Yemen, Afghanistan, Pakistan,
 India, Nepal, Bangladesh, Thailand, Vietnam, Laos, Cambodia, Malaysia, the Philippines, China,
 Japan, South Korea, North Korea, Mongolia, Uzbekistan, Israel;
Africa: Egypt, Libya, Tunisia, Algeria, Morocco, Senegal, Ghana, Nigeria, Kenya, Ethiopia, Sudan,
 Uganda, Rwanda, Somalia, Angola, Zambia, Zimbabwe, Namibia, Mozambique, Madagascar, Mali, Cameroon;
North America: the United States, Canada, Mexico, Cuba, Jamaica, Panama, Costa Rica, Guatemala,
 Haiti;
South America: Brazil, Argentina, Chile, Peru, Colombia, Ecuador, Venezuela, Uruguay, Paraguay
""")
CONTINENTS = tuple(
    (" ".join(land.split()), continent)
    for continent, lands in _BY_CONTINENT
    for land in lands.split(",")
)

CURRENCIES = pairs("""
Japan: yen; the United Kingdom: pound; the United States: dollar; Switzerland: franc; India: rupee;
China: yuan; Russia: rouble; Poland: zloty; Hungary: forint; the Czech Republic: koruna;
Denmark: krone; Norway: krone; Sweden: krona; Turkey: lira; Brazil: real; Mexico: peso;
Chile: peso; Argentina: peso; South Korea: won; Thailand: baht; Vietnam: dong; Israel: shekel;
Ukraine: hryvnia; Nigeria: naira; Kenya: shilling; Egypt: pound; Canada: dollar; Australia: dollar;
France: euro; Germany: euro; Spain: euro; Italy: euro; Portugal: euro; Greece: euro; Austria: euro;
Ireland: euro; Finland: euro; Belgium: euro; the Netherlands: euro; Pakistan: rupee; Peru: sol;
Morocco: dirham; Saudi Arabia: riyal; Iceland: krona; Romania: leu; Malaysia: ringgit
""")

LANGUAGES = pairs("""
France: French; Germany: German; Austria: German; Spain: Spanish; Mexico: Spanish; Chile: Spanish;
Argentina: Spanish; Peru: Spanish; Cuba: Spanish; Colombia: Spanish; Italy: Italian;
Portugal: Portuguese; Brazil: Portuguese; Angola: Portuguese; Greece: Greek; Denmark: Danish;
Norway: Norwegian; Sweden: Swedish; Iceland: Icelandic; the Netherlands: Dutch; Poland: Polish;
the Czech Republic: Czech; Slovakia: Slovak; Hungary: Hungarian; Romania: Romanian;
Bulgaria: Bulgarian; Serbia: Serbian; Croatia: Croatian; Slovenia: Slovene; Albania: Albanian;
Estonia: Estonian; Latvia: Latvian; Lithuania: Lithuanian; Ukraine: Ukrainian; Russia: Russian;
Turkey: Turkish; Georgia: Georgian; Armenia: Armenian; Iran: Persian; Egypt: Arabic;
Saudi Arabia: Arabic; Iraq: Arabic; Japan: Japanese; China: Chinese; South Korea: Korean;
Thailand: Thai; Vietnam: Vietnamese; Mongolia: Mongolian; the United States: English;
the United Kingdom: English; Australia: English; Jamaica: English
""")

# name: symbol number
ELEMENTS = pairs("""
hydrogen: H 1; helium: He 2; lithium: Li 3; beryllium: Be 4; boron: B 5; carbon: C 6;
nitrogen: N 7; oxygen: O 8; fluorine: F 9; neon: Ne 10; sodium: Na 11; magnesium: Mg 12;
aluminium: Al 13; silicon: Si 14; phosphorus: P 15; sulphur: S 16; chlorine: Cl 17; argon: Ar 18;
potassium: K 19; calcium: Ca 20; titanium: Ti 22; chromium: Cr 24; manganese: Mn 25; iron: Fe 26;
cobalt: Co 27; nickel: Ni 28; copper: Cu 29; zinc: Zn 30; arsenic: As 33; bromine: Br 35;
krypton: Kr 36; silver: Ag 47; tin: Sn 50; iodine: I 53; xenon: Xe 54; barium: Ba 56;
tungsten: W 74; platinum: Pt 78; gold: Au 79; mercury: Hg 80; lead: Pb 82; radon: Rn 86;
radium: Ra 88; uranium: U 92; plutonium: Pu 94
""")

PLANETS = pairs("""
Mercury: first; Venus: second; Earth: third; Mars: fourth; Jupiter: fifth; Saturn: sixth;
Uranus: seventh; Neptune: eighth
""")

SOUNDS = pairs("""
dog: barks; cat: meows; cow: moos; sheep: bleats; horse: neighs; pig: grunts; lion: roars;
duck: quacks; wolf: howls; frog: croaks; bee: buzzes; snake: hisses; owl: hoots; donkey: brays;
rooster: crows; mouse: squeaks; elephant: trumpets; turkey: gobbles; hen: clucks; cricket: chirps
""")

YOUNG = pairs("""
dog: puppy; cat: kitten; cow: calf; sheep: lamb; horse: foal; pig: piglet; hen: chick;
duck: duckling; goose: gosling; goat: kid; bear: cub; deer: fawn; kangaroo: joey; swan: cygnet;
frog: tadpole; hare: leveret; owl: owlet; eagle: eaglet
""")

LEGS = pairs("""
dog: 4; cat: 4; horse: 4; cow: 4; lion: 4; frog: 4; bird: 2; duck: 2; hen: 2; penguin: 2; human: 2;
kangaroo: 2; ant: 6; bee: 6; fly: 6; beetle: 6; butterfly: 6; spider: 8; scorpion: 8; snake: 0;
fish: 0; worm: 0; crab: 10; lobster: 10
""")

MIXTURES = pairs("""
red and yellow: orange; yellow and blue: green; red and blue: purple; black and white: grey;
red and white: pink; blue and white: light blue; red and green: brown; red and black: dark red
""")

OPPOSITES = pairs("""
hot: cold; big: small; old: young; happy: sad; fast: slow; high: low; hard: soft; light: dark;
early: late; good: bad; open: closed; full: empty; rich: poor; strong: weak; wet: dry; long: short;
thick: thin; left: right; up: down; in: out; loud: quiet; clean: dirty; near: far; first: last;
inside: outside; day: night; black: white; true: false; cheap: expensive; easy: difficult;
sweet: sour; begin: end; buy: sell; push: pull; give: take; love: hate; win: lose; rise: fall;
top: bottom; front: back; always: never; before: after; above: below; north: south; east: west;
war: peace; life: death; summer: winter; brave: afraid; deep: shallow; wide: narrow; sharp: blunt;
more: less; many: few; laugh: cry; sit: stand; question: answer; friend: enemy;
heaven: hell; arrive: leave; remember: forget; smooth: rough; clever: stupid; odd: even
""")

PLURALS = pairs("""
child: children; man: men; woman: women; foot: feet; tooth: teeth; mouse: mice; goose: geese;
person: people; ox: oxen; sheep: sheep; fish: fish; deer: deer; leaf: leaves; knife: knives;
wolf: wolves; life: lives; wife: wives; shelf: shelves; half: halves; loaf: loaves; city: cities;
baby: babies; party: parties; box: boxes; bus: buses; dish: dishes; watch: watches;
potato: potatoes; tomato: tomatoes; hero: heroes; cactus: cacti; louse: lice; thief: thieves;
lady: ladies; story: stories; fox: foxes; church: churches; glass: glasses; key: keys; dog: dogs
""")

PASTS = pairs("""
go: went; see: saw; eat: ate; drink: drank; run: ran; swim: swam; write: wrote; read: read;
take: took; give: gave; come: came; find: found; think: thought; buy: bought; bring: brought;
catch: caught; teach: taught; fly: flew; know: knew; grow: grew; throw: threw; draw: drew;
sing: sang; begin: began; ring: rang; sit: sat; stand: stood; speak: spoke; break: broke;
choose: chose; wake: woke; drive: drove; ride: rode; rise: rose; fall: fell; feel: felt;
keep: kept; sleep: slept; leave: left; meet: met; lose: lost; make: made; say: said; tell: told;
sell: sold; hear: heard; hold: held; win: won; build: built; send: sent; spend: spent; cut: cut;
put: put; have: had; do: did; get: got; forget: forgot; wear: wore; hide: hid; bite: bit;
fight: fought; walk: walked; play: played; work: worked; try: tried; stop: stopped
""")

SIDES = pairs("""
triangle: 3; square: 4; rectangle: 4; pentagon: 5; hexagon: 6; heptagon: 7; octagon: 8; nonagon: 9;
decagon: 10; dodecagon: 12; rhombus: 4
""")

FACES = pairs("""
cube: 6; tetrahedron: 4; octahedron: 8; dodecahedron: 12; icosahedron: 20
""")

SEASONS = pairs("""
December: winter; January: winter; February: winter; March: spring; April: spring; May: spring;
June: summer; July: summer; August: summer; September: autumn; October: autumn; November: autumn
""")

HOLIDAYS = pairs("""
New Year's Day: 1 January; Valentine's Day: 14 February; Saint Patrick's Day: 17 March;
April Fools' Day: 1 April; May Day: 1 May; Halloween: 31 October; Christmas Eve: 24 December;
Christmas Day: 25 December; Boxing Day: 26 December; New Year's Eve: 31 December
""")
