"""Which words does the recipe know, and how does it make up new ones?

Every list is written for this recipe. A share of all names, places and things is made up from
syllables instead, so that the model has to copy what it reads and cannot lean on a known word.
"""

# ruff: noqa: SIM905  (a column of words reads better than a column of quotes)

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random

__all__ = [
    "ANIMALS",
    "COLOURS",
    "DRINKS",
    "EVENTS",
    "FAVOURITES",
    "FOODS",
    "GOODS",
    "HOBBIES",
    "INSTRUMENTS",
    "JOBS",
    "MONTHS",
    "NAMES",
    "NUMBER_WORDS",
    "OBJECTS",
    "PETS",
    "PLACES",
    "RELATIVES",
    "SUBJECTS",
    "TOWNS",
    "VEHICLES",
    "VERBS",
    "WEEKDAYS",
    "WORDS",
    "code",
    "made_up",
]

NAMES = tuple(
    """
Ada Adam Agnes Aisha Alan Alba Alice Alma Amir Amos Ana Andre Anita Anna Anton Arjun Arlo Arthur
Astrid Axel Ayla Basil Bea Ben Bella Bianca Bill Boris Bruno Callum Cara Carl Carmen Casper Cecil
Celia Chen Chloe Clara Colin Cora Cyrus Dahlia Dan Daria David Dean Deepa Delia Denis Diego Dina
Dora Doris Edgar Edith Edwin Eli Elena Eliza Ella Elmer Elsa Emil Emma Enzo Erik Esme Ethan Eva
Fabian Farah Felix Fern Finn Fiona Flora Floyd Frank Freya Frida Fritz Gareth Gemma George Gerda
Gina Goran Greta Gus Gwen Hana Hanna Harold Harry Hassan Hazel Heidi Helen Henry Hilda Hugo Ian
Ida Igor Ilse Imani Ines Ingrid Irene Iris Isaac Ivan Ivy Jack Jada Jakob James Jana Jasper Jay
Jean Jenny Jonas Jose Josef Joy Juan Judy Julia Jun Kai Kara Karl Kate Keiko Kemal Ken Kiran Klaus
Kofi Lara Lars Laura Lea Leila Lena Leo Leon Lewis Lidia Lily Lina Linus Lisa Lola Lotte Louis Luca
Lucy Luis Luna Lydia Mabel Magda Malik Marco Maria Marta Martin Mary Mateo Matt Maud Max Maya Mei
Mia Mila Milo Mina Mira Miriam Mona Moses Nadia Naomi Nasir Nelly Nia Nico Niels Nina Noah Noor
Nora Norman Odette Ola Olga Oliver Olivia Omar Oona Orla Oscar Otis Otto Pablo Paula Pavel Pearl
Pedro Penny Percy Petra Philip Pia Pierre Polly Priya Quinn Rachel Rafael Raj Ralph Ramona Ravi
Rhea Rita Robin Roger Rolf Rosa Ross Ruben Rufus Ruth Sadie Sally Sam Samir Sara Sasha Saul Selma
Seth Sheila Sid Silas Simon Sofia Sonia Stella Sven Sybil Tamar Tania Tara Ted Teresa Tessa Theo
Thomas Tilda Tim Tobias Tom Tony Tova Uma Ursula Vera Victor Viktor Vince Viola Wanda Walter Wendy
Wilma Xavier Yara Yasmin Yusuf Yvonne Zach Zara Zelda Zeno Zoe
""".split()
)

TOWNS = tuple(
    """
Aarhus Aberdeen Accra Almere Amsterdam Antwerp Ashford Athens Auckland Austin Avignon Baku Basel
Bath Bergen Berlin Bern Bilbao Bogota Bonn Boston Bremen Brighton Bristol Bruges Brussels Budapest
Cadiz Cairo Calgary Cardiff Chicago Cologne Cork Cusco Dakar Dallas Delft Delhi Denver Derby Dover
Dresden Dublin Dundee Durham Exeter Faro Florence Galway Geneva Genoa Ghent Glasgow Graz Halifax
Hamburg Hanoi Harlow Havana Helsinki Hobart Houston Hull Innsbruck Istanbul Jena Kassel Kiel Kigali
Kyoto Lagos Lausanne Leeds Leiden Leipzig Lima Linz Lisbon Liverpool Lyon Madrid Mainz Malmo Manila
Marseille Miami Milan Montreal Munich Nairobi Nantes Naples Nice Odense Oslo Ottawa Oxford Padua
Paris Perth Pisa Porto Prague Quito Reims Riga Rome Rouen Salem Salzburg Seattle Seoul Seville
Siena Sofia Split Sydney Tallinn Tampere Tartu Tokyo Toledo Toronto Toulouse Trier Tunis Turin
Turku Uppsala Utrecht Valencia Venice Vienna Vilnius Warsaw Weimar York Zagreb Zurich Eastwick
Lindow Marlow Norfield Oakham Redmere Stonebridge Thornbury Westport Willowdale
""".split()
)

PLACES = (
    *"""
    attic barn basement bathroom bedroom cabin cellar chapel cottage courtyard den garage garden
    greenhouse gym hallway harbour kitchen larder laundry library loft lounge nursery office
    orchard pantry parlour playroom porch shed stable storeroom studio study tower veranda vault
    workshop museum bakery school station theatre clinic market castle lighthouse mill boathouse
    canteen archive laboratory observatory warehouse cloakroom conservatory dungeon foyer
    gallery hangar kiosk lobby mailroom pavilion quarry ballroom belfry brewery cafe crypt depot
    """.split(),
    "tool shed", "wine cellar", "guest room", "music room", "north gate", "south gate",
    "east wing", "west wing", "top drawer", "blue cabinet", "red cabinet", "old barn",
    "boiler room", "reading room", "bike shed", "summer house", "main hall", "back office",
    "north tower", "south tower", "upper deck", "lower deck", "front desk", "ice house",
    "tea room", "map room", "pump house", "coat cupboard", "side chapel", "roof terrace",
)  # fmt: skip

OBJECTS = tuple(
    """
anchor apron axe backpack badge bagpipe balloon banner barrel basket bell belt bench blanket blender
book bookmark boot bottle bowl box bracelet brick broom brush bucket button cable calculator
calendar camera candle cane canoe cap card carpet cart chain chair chalk chest chisel clock coat
coin comb compass cooker couch crate crown cup curtain cushion dagger desk diary dice dish doll
drill drum easel envelope fan feather fiddle file flag flask flute folder fork frame funnel
glass globe glove goblet guitar hammer hammock hamper harp hat helmet hook horn jacket jar jug
kettle key keyboard kite knife knot ladder ladle lamp lantern laptop lens letter lock locket loom
magnet mallet map marble mask mat medal mirror mitten mop mug nail napkin necklace needle net
notebook nutcracker oar oven paddle pan parasol pearl pen pencil perfume phone piano picture pillow
pin pipe pitcher plate pliers plough pocketbook poster pot pouch printer puppet purse puzzle quilt
racket radio raft rake razor ribbon ring robe rocket rope rucksack rug ruler saddle sandal saw
scale scarf scissors screw sculpture sewing-kit shawl shield shirt shoe shovel sickle sieve skate
sketch skirt sled slipper soap sofa spade spanner spoon sponge spool stamp statue stool stove
suitcase sundial sweater sword table tablet tambourine tape teapot telescope tent thermos thimble
ticket tie tile toaster top torch towel toy tray tripod trophy trowel trumpet trunk tub umbrella
urn vase vest vial violin wagon wallet watch wheel whistle wig window wok wreath wrench yoyo zither
""".split()
)

GOODS = tuple(
    """
acorns apples bags balls bananas barrels baskets beads beans benches berries bins blankets boards
books boots bottles bowls boxes bricks brooms brushes buckets buttons cables cakes candles cards
carrots chairs cherries clocks coats coins cones corks crates cups cushions dolls eggs envelopes
feathers figs flags flasks flowers forks glasses globes gloves grapes hammers hats helmets hooks
horses jars jugs keys kites knives ladders lamps leaves lemons letters lids maps marbles mats melons
mugs nails nuts onions oranges parcels peaches pears pebbles pencils pens pins plates plums posters
pots potatoes pumpkins ribbons rings ropes rugs sacks screws seeds shells shirts shoes shovels
skates sleds spoons stamps stones stools tables tents tickets tiles tomatoes towels toys trays trees
tyres vases walnuts wheels windows
""".split()
)

COLOURS = tuple(
    """
amber aqua beige black blue bronze brown burgundy charcoal copper coral cream crimson cyan emerald
gold golden green grey indigo ivory jade khaki lavender lilac lime magenta maroon mauve mint navy
ochre olive orange peach pink plum purple red ruby rust salmon sapphire scarlet silver tan teal
turquoise violet white yellow
""".split()
)

ANIMALS = tuple(
    """
badger bat bear beaver beetle bird bull butterfly camel canary cat cobra cockatoo cow crab crow
deer dog dolphin donkey dove duck falcon ferret finch fish fox frog gecko gerbil goat goldfish
goose guinea-pig hamster hare hawk hedgehog hen heron horse jackdaw kestrel kitten lamb lion lizard
llama lobster lynx magpie mole monkey mouse mule newt panda parrot peacock pelican penguin pig
pigeon pony puppy python rabbit raven rat robin rooster salamander seal sheep snail snake sparrow
spider squirrel starling stork swan tiger toad tortoise trout turkey turtle walrus wolf wombat
""".split()
)

PETS = tuple(
    """
Apricot Bandit Barney Biscuit Blossom Bolt Bonbon Bramble Bubbles Buster Button Caramel Chip
Cinnamon Cloud Cocoa Comet Cookie Cosmo Cricket Daisy Dash Dot Echo Fidget Flash Fluff Freckle
Fudge Ginger Gizmo Hopper Jelly Jinx Juniper Kipper Koko Lucky Maple Marble Mango Mittens Mocha
Mopsy Muffin Nibbles Noodle Nugget Olive Pebble Peanut Pepper Pickle Pip Pixel Poppy Pumpkin Radish
Rocket Rusty Sandy Scout Shadow Skipper Smudge Snowy Socks Sparky Speck Spot Sprout Star Storm
Sunny Tango Thistle Toffee Truffle Turbo Twig Waffles Whiskers Widget Ziggy
""".split()
)

JOBS = tuple(
    """
baker barber beekeeper bookseller botanist brewer bricklayer builder butcher carpenter cashier
chef chemist clerk coach cobbler composer conductor cook courier dancer dentist designer diver
doctor driver farmer firefighter fisher florist gardener geologist glazier goldsmith guard guide
hairdresser historian hunter jeweller joiner journalist judge juggler lawyer lecturer librarian
locksmith mason mechanic midwife miller miner musician nurse painter pharmacist photographer
pianist pilot plumber poet porter postman potter printer professor ranger reporter roofer sailor
scientist sculptor secretary shepherd shopkeeper singer soldier surgeon surveyor tailor teacher
translator vet waiter watchmaker weaver welder writer zookeeper
""".split()
)

FOODS = tuple(
    """
asparagus avocado bacon bagels beans beetroot bread broccoli burgers cabbage cake carrots
cauliflower celery cheese cherries chips chocolate chutney couscous crackers cucumber curry
custard dates doughnuts dumplings eggs falafel fennel figs fudge garlic gnocchi grapes ham
hazelnuts honey hummus jam kale ketchup lasagne leeks lentils lettuce mangoes marmalade melon
muesli muffins mushrooms mustard noodles nougat nuts oatmeal olives omelettes onions oranges
pancakes pasta peaches peanuts pears peas pickles pie pineapple pizza plums popcorn porridge
potatoes pretzels pudding pumpkin radishes raisins ravioli rice risotto salad salmon sausages
scones shrimp soup spinach stew strawberries sushi tacos toast tofu tomatoes trifle trout tuna
turnips waffles walnuts yogurt
""".split()
)

DRINKS = tuple(
    """
ale buttermilk cider cocoa coffee cola ginger-beer juice kefir lemonade milk mineral-water mint-tea
oat-milk punch soda tea tonic water black-tea green-tea apple-juice grape-juice tomato-juice
""".split()
)

INSTRUMENTS = tuple(
    """
accordion banjo bassoon bugle cello clarinet cornet cymbals drums fiddle flute guitar harmonica harp
horn lute lyre mandolin marimba oboe organ piano piccolo recorder saxophone sitar tambourine
triangle trombone trumpet tuba ukulele viola violin xylophone zither
""".split()
)

HOBBIES = tuple(
    """
acting archery baking birdwatching bowling boxing camping canoeing carving chess climbing cooking
crochet cycling dancing diving drawing drumming fencing fishing gardening golf hiking hockey
juggling karate kayaking knitting origami painting photography pottery puzzles quilting reading
riding rowing rugby running sailing sewing singing skating skiing sketching squash surfing swimming
tennis weaving woodwork wrestling yoga
""".split()
)

SUBJECTS = tuple(
    """
algebra anatomy art astronomy biology botany chemistry dance drama economics French geography
geology geometry German Greek history Italian Latin law logic music philosophy physics poetry
Spanish statistics zoology
""".split()
)

RELATIVES = tuple(
    """
aunt boyfriend brother-in-law cousin dad daughter doctor father girlfriend grandfather grandmother
husband landlord mother mum neighbour nephew niece partner roommate son teacher uncle wife boat
company house team school street village band cook trainer
""".split()
)

EVENTS = tuple(
    """
appointment class concert conference dinner exam flight interview lecture lesson lunch match
meeting party performance picnic play race rehearsal reunion show test tour training trip wedding
workshop review deadline call delivery game
""".split()
)

FAVOURITES = tuple(
    """
book film movie song season sport city fruit vegetable game planet number word letter day month
band flower tree country dessert sweet toy place room tool singer painter subject bird fish
language shop cafe bus river mountain island
""".split()
)

VERBS = tuple(
    """
clean collect design guard need open order own paint pull push rent repair sell test want visit
follow hold return draw lift load start hate like protect inspect polish count keep hide
""".split()
)

VEHICLES = ("bus", "train", "ferry", "coach", "tram", "boat", "shuttle", "night train", "plane")
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip

NUMBER_WORDS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
    "nineteen", "twenty",
)  # fmt: skip

# Everyday words for the word games; the concrete nouns above join them.
WORDS = tuple(
    dict.fromkeys(
        word
        for words in (
            """
            able above across after again air all alone also always angle answer any arm around
            ask autumn away baby back bad bank beach beautiful because before begin behind believe
            below better between big birth bitter blood blow body bone born both bottom brave
            bread break bridge bright bring broad brother build burn busy buy call calm can care
            carry catch cause centre chance change cheap child choose circle city clean clear
            clever climb close cloth cloud cold come common cook cool corner cotton cough count
            country cover cross cry dance dark daughter day dead dear deep delicate different
            dinner dirty distance door double down dream dress drink drive drop dry dust early
            earth east easy eat edge empty end enough equal evening every exact eye face fact fall
            false family far fast father fear feel few field fight fill find fine finger fire
            first flat floor flow flower fly follow food foot force forest forget forward free
            fresh friend front fruit full funny future game gentle gift girl give glad go good
            grain grass great ground group grow guess half hand happy hard hate head healthy hear
            heart heat heavy help here high hill hold hole holiday home honest hope hot hour house
            hurry ice idea important inside island jelly join journey joy jump keep kind king kiss
            knee know lake land large last late laugh lazy lead leaf learn leave left leg less
            lesson level lift light like line lip list listen little live long look loose lose
            lost loud love low lunch make man many mark married match meal mean measure meat meet
            metal middle milk mind minute money moon morning mother mountain mouth move music
            narrow nature near neck new news night noise north nose now number ocean old only open
            opposite other outside over page pain paint pair paper parent part past path pay peace
            people person place plan plant play please point polite poor power price private proud
            public pull push put question quick quiet rain read ready real reason rest rice rich
            ride right rise river road rock roof room root rough round run sad safe sail salt same
            sand say sea search seat second secret see seed sell send sentence serious shade shake
            shallow shape sharp shine ship shop short shout show shut side sign silent simple sing
            sister sit size skin sky sleep slow small smell smile smoke smooth snow soft some son
            song soon sort sound south speak spring square stand star start stay step stick still
            stone stop storm story straight strange street strong sudden sugar summer sun sure
            surprise sweet swim tail take talk tall taste teach tell test thank thick thin thing
            think thought throat through throw thunder time tired together tomorrow tongue tooth
            top touch town travel tree true trust try turn twice under unit up use valley value
            very view village visit voice wait walk wall want warm wash waste wave way weak
            weather week weight well west wet white whole wide wild win wind wing winter wire wise
            wish woman wonder wood word work world worry write wrong year yellow yes yesterday
            young apple banana cherry grape lemon lime melon orange peach pear plum berry
            strawberry raspberry potato tomato carrot onion zebra elephant giraffe hello world
            test model token session memory computer phone program planet winter circus doctor
            nurse school student pupil window garden kitchen market church castle bridge alpha
            beta gamma delta echo foxtrot hotel india kilo lima november papa quebec romeo sierra
            tango uniform yankee zulu one two three four five six seven eight nine ten
            """.split(),
            OBJECTS,
            ANIMALS,
            FOODS,
            COLOURS,
        )
        for word in words
        if "-" not in word
    )
)

_ONSETS = "b br c ch d dr f fl g gr h j k kl l m n p pr qu r s sh sk st t th tr v w y z".split()
_VOWELS = ("a", "e", "i", "o", "u", "a", "e", "o", "ai", "ea", "ee", "oo")
_CODAS = ("", "", "", "l", "n", "r", "s", "x", "nd", "rk", "m", "th", "ck", "sk", "t")
_LETTERS = "aabcdeeefghiijklmnoopqrstuuvwxyz"
_SOURCES = tuple(
    word.lower() for words in (NAMES, TOWNS, OBJECTS, FOODS, JOBS, WORDS) for word in words
)


def made_up(rng: Random) -> str:
    """A word in lower case that no list holds.

    Syllables strung together, the head of one known word on the tail of another, a known word with
    one letter changed, dropped or added, or (seldom) just letters: whatever a user may come up
    with, its pieces have been seen in some such company.
    """
    draw = rng.random()
    if draw < 0.3:
        count = 2 if rng.random() < 0.7 else 3
        syllables = [rng.choice(_ONSETS) + rng.choice(_VOWELS) for _ in range(count)]
        return "".join(syllables) + rng.choice(_CODAS)
    word = _SOURCES[int(rng.random() * len(_SOURCES))]
    if draw < 0.65:
        other = _SOURCES[int(rng.random() * len(_SOURCES))]
        return word[: rng.randint(2, 5)] + other[-rng.randint(2, 6) :]
    if draw < 0.92:
        at, letter = rng.randrange(len(word)), rng.choice(_LETTERS)
        after = at + rng.randrange(2)
        return word[:at] + (letter if rng.random() < 0.7 else "") + word[after:]
    return "".join(rng.choices(_LETTERS, k=rng.randint(3, 8)))


_HEX = "0123456789abcdef"
_PLAIN = "ABCDEFGHJKLMNPQRSTUVWXYZ0123456789"


def code(rng: Random) -> str:
    """A random identifier: hexadecimal groups, a UUID, or letters and digits."""
    form = rng.randrange(6)
    sizes: tuple[int, ...]
    if form == 0:
        sizes, alphabet, joint = (8, 4, 4, 4, 12), _HEX, "-"
    elif form == 1:
        sizes, alphabet, joint = (4,) * rng.randint(2, 5), _HEX, "-"
    elif form == 2:
        sizes, alphabet, joint = (rng.choice((8, 12, 16, 24, 32)),), _HEX, ""
    elif form == 3:
        sizes, alphabet, joint = (3,) * rng.randint(2, 4), _PLAIN, "-"
    elif form == 4:
        sizes, alphabet, joint = (rng.randint(6, 12),), _PLAIN, ""
    else:
        sizes, alphabet, joint = (rng.randint(4, 12),), "0123456789", ""
    return joint.join("".join(rng.choices(alphabet, k=size)) for size in sizes)
