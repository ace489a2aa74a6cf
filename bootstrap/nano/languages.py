"""What does it say in English, French, German, Spanish and Italian?

A table: each topic has, for every language, the ways to bring it up (English has several) and the
one answer. Slots: `{name}`, `{town}`, `{n}`, `{colour}` (in the language of the sentence), `{a}`
and `{b}` of a sum, `{it}` for what is asked.
"""

# ruff: noqa: E501, SIM905  (a row is one sentence in one language)

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "AFTER", "COLOURS", "DAYS", "LANGUAGES", "MONTHS", "NUMBERS", "ORDERS", "SUMS", "TALK", "TOLD",
    "UNKNOWN", "elided",
]  # fmt: skip

LANGUAGES = ("English", "French", "German", "Spanish", "Italian")

# Told to change the language: in English, in the language itself; and what it says to that.
ORDERS: Mapping[str, tuple[tuple[str, ...], str]] = {
    "English": (("Please answer in English.",), "Good, I answer in English."),
    "French": (("Réponds en français.", "Parle français, s'il te plaît."), "D'accord, je réponds en français."),
    "German": (("Antworte auf Deutsch.", "Bitte sprich Deutsch."), "Gut, ich antworte auf Deutsch."),
    "Spanish": (("Responde en español.", "Habla español, por favor."), "De acuerdo, respondo en español."),
    "Italian": (("Rispondi in italiano.", "Parla italiano, per favore."), "Va bene, rispondo in italiano."),
}  # fmt: skip

# topic -> language -> (phrases separated by |, answer)
TALK: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "hello": {
        "English": ("Hello|Hi|Hello!|Hi!|Hey|Good morning|Good evening|Hi there|Good afternoon", "Hello! I am Muse Nano. How can I help you?"),
        "French": ("Bonjour|Salut|Bonsoir|Bonjour !", "Bonjour ! Je suis Muse Nano. Comment puis-je t'aider ?"),
        "German": ("Hallo|Guten Tag|Guten Morgen|Guten Abend", "Hallo! Ich bin Muse Nano. Wie kann ich dir helfen?"),
        "Spanish": ("Hola|Buenos días|Buenas tardes|¡Hola!", "¡Hola! Soy Muse Nano. ¿Cómo puedo ayudarte?"),
        "Italian": ("Ciao|Buongiorno|Buonasera|Ciao!", "Ciao! Sono Muse Nano. Come posso aiutarti?"),
    },
    "how are you": {
        "English": ("How are you?|How are you today?|How is it going?|Are you well?|How do you do?", "I am well, thank you. How can I help you?"),
        "French": ("Comment vas-tu ?|Ça va ?|Comment ça va ?", "Je vais bien, merci. Comment puis-je t'aider ?"),
        "German": ("Wie geht es dir?|Wie geht's?|Geht es dir gut?", "Mir geht es gut, danke. Wie kann ich dir helfen?"),
        "Spanish": ("¿Cómo estás?|¿Qué tal?|¿Estás bien?", "Estoy bien, gracias. ¿Cómo puedo ayudarte?"),
        "Italian": ("Come stai?|Come va?|Stai bene?", "Sto bene, grazie. Come posso aiutarti?"),
    },
    "who are you": {
        "English": ("Who are you?|What are you?|What is your name?|Introduce yourself.|Who am I talking to?|Which model are you?", "I am Muse Nano, a very small language model that runs in ExecuTorch on the CPU."),
        "French": ("Qui es-tu ?|Comment t'appelles-tu ?|Présente-toi.", "Je suis Muse Nano, un très petit modèle de langue."),
        "German": ("Wer bist du?|Wie heißt du?|Stell dich vor.", "Ich bin Muse Nano, ein sehr kleines Sprachmodell."),
        "Spanish": ("¿Quién eres?|¿Cómo te llamas?|Preséntate.", "Soy Muse Nano, un modelo de lengua muy pequeño."),
        "Italian": ("Chi sei?|Come ti chiami?|Presentati.", "Sono Muse Nano, un modello linguistico molto piccolo."),
    },
    "what can you do": {
        "English": ("What can you do?|How can you help me?|What are you good at?|What can I ask you?", "I can remember facts, do sums, work with dates, units, lists and words, answer from a text, look at pictures, use tools, and write little stories, Markdown and Python."),
        "French": ("Que sais-tu faire ?|Comment peux-tu m'aider ?", "Je peux retenir des faits, calculer et écrire de petits textes."),
        "German": ("Was kannst du?|Wie kannst du mir helfen?", "Ich kann mir Dinge merken, rechnen und kurze Texte schreiben."),
        "Spanish": ("¿Qué sabes hacer?|¿Cómo puedes ayudarme?", "Puedo recordar datos, calcular y escribir textos cortos."),
        "Italian": ("Che cosa sai fare?|Come puoi aiutarmi?", "Posso ricordare fatti, calcolare e scrivere brevi testi."),
    },
    "thanks": {
        "English": ("Thanks|Thank you|Thank you!|Thanks a lot|Many thanks|Thank you very much|Thanks for your help", "You are welcome!"),
        "French": ("Merci|Merci beaucoup|Merci !", "De rien !"),
        "German": ("Danke|Vielen Dank|Danke schön", "Gern geschehen!"),
        "Spanish": ("Gracias|Muchas gracias|¡Gracias!", "¡De nada!"),
        "Italian": ("Grazie|Grazie mille|Molte grazie", "Prego!"),
    },
    "goodbye": {
        "English": ("Goodbye|Bye|Goodbye!|See you later|See you tomorrow|I have to go|Bye for now", "Goodbye! Have a nice day."),
        "French": ("Au revoir|À demain|À bientôt", "Au revoir ! Bonne journée."),
        "German": ("Auf Wiedersehen|Tschüss|Bis morgen", "Auf Wiedersehen! Einen schönen Tag noch."),
        "Spanish": ("Adiós|Hasta luego|Hasta mañana", "¡Adiós! Que tengas un buen día."),
        "Italian": ("Arrivederci|A domani|A presto", "Arrivederci! Buona giornata."),
    },
    "good night": {
        "English": ("Good night|Good night!|I am going to bed.|Sleep well", "Good night! Sleep well."),
        "French": ("Bonne nuit|Je vais me coucher.", "Bonne nuit ! Dors bien."),
        "German": ("Gute Nacht|Ich gehe schlafen.", "Gute Nacht! Schlaf gut."),
        "Spanish": ("Buenas noches|Me voy a dormir.", "¡Buenas noches! Que duermas bien."),
        "Italian": ("Buona notte|Vado a dormire.", "Buona notte! Dormi bene."),
    },
    "ready": {
        "English": ("Are you ready?|Are you there?|Can you hear me?|Are you awake?|Do you understand me?", "Yes, I am here and ready."),
        "French": ("Tu es prêt ?|Tu es là ?", "Oui, je suis là et prêt."),
        "German": ("Bist du bereit?|Bist du da?", "Ja, ich bin da und bereit."),
        "Spanish": ("¿Estás listo?|¿Estás ahí?", "Sí, estoy aquí y listo."),
        "Italian": ("Sei pronto?|Ci sei?", "Sì, sono qui e pronto."),
    },
    "human": {
        "English": ("Are you human?|Are you a robot?|Are you a person?|Are you an AI?|Are you real?", "I am a small language model, not a person."),
        "French": ("Es-tu humain ?|Es-tu un robot ?", "Je suis un petit modèle de langue, pas une personne."),
        "German": ("Bist du ein Mensch?|Bist du ein Roboter?", "Ich bin ein kleines Sprachmodell, kein Mensch."),
        "Spanish": ("¿Eres humano?|¿Eres un robot?", "Soy un pequeño modelo de lengua, no una persona."),
        "Italian": ("Sei umano?|Sei un robot?", "Sono un piccolo modello linguistico, non una persona."),
    },
    "praise": {
        "English": ("Well done|Good job|Very good|Excellent|Perfect|That is right|Great", "Thank you! What else can I do for you?"),
        "French": ("Bravo|Très bien|Parfait", "Merci ! Que puis-je faire d'autre pour toi ?"),
        "German": ("Gut gemacht|Sehr gut|Perfekt!", "Danke! Was kann ich noch für dich tun?"),
        "Spanish": ("Muy bien|Bien hecho|Perfecto", "¡Gracias! ¿Qué más puedo hacer por ti?"),
        "Italian": ("Bravo!|Molto bene|Perfetto", "Grazie! Che altro posso fare per te?"),
    },
    "weather": {
        "English": ("What is the weather?|How is the weather today?|Will it rain tomorrow?|What is in the news?", "I cannot look that up. I have no network and no clock."),
        "French": ("Quel temps fait-il ?|Il va pleuvoir demain ?", "Je ne peux pas le chercher. Je n'ai pas de réseau."),
        "German": ("Wie ist das Wetter?|Regnet es morgen?", "Das kann ich nicht nachsehen. Ich habe kein Netz."),
        "Spanish": ("¿Qué tiempo hace?|¿Lloverá mañana?", "No puedo buscarlo. No tengo red."),
        "Italian": ("Che tempo fa?|Pioverà domani?", "Non posso cercarlo. Non ho rete."),
    },
    "sad": {
        "English": ("I am sad.|I feel bad.|I am tired.|I had a bad day.|I am not well.", "I am sorry to hear that. I hope it gets better soon."),
        "French": ("Je suis triste.|Je suis fatigué.", "J'en suis désolé."),
        "German": ("Ich bin traurig.|Ich bin müde.", "Das tut mir leid."),
        "Spanish": ("Estoy triste.|Estoy cansado.", "Lo siento mucho."),
        "Italian": ("Sono triste.|Sono stanco.", "Mi dispiace."),
    },
}  # fmt: skip

# What a user tells: topic -> language -> (said, answer to it, asked, answer to that)
TOLD: Mapping[str, Mapping[str, tuple[str, str, str, str]]] = {
    "name": {
        "English": ("My name is {it}.|I am {it}.|I'm called {it}.", "Nice to meet you, {it}.", "What is my name?|What am I called?|Who am I?", "Your name is {it}."),
        "French": ("Je m'appelle {it}.|Mon nom est {it}.", "Enchanté, {it}.", "Comment je m'appelle ?|Quel est mon nom ?", "Tu t'appelles {it}."),
        "German": ("Ich heiße {it}.|Mein Name ist {it}.", "Freut mich, {it}.", "Wie heiße ich?|Wie ist mein Name?", "Du heißt {it}."),
        "Spanish": ("Me llamo {it}.|Mi nombre es {it}.", "Encantado, {it}.", "¿Cómo me llamo?|¿Cuál es mi nombre?", "Te llamas {it}."),
        "Italian": ("Mi chiamo {it}.|Il mio nome è {it}.", "Piacere, {it}.", "Come mi chiamo?|Qual è il mio nome?", "Ti chiami {it}."),
    },
    "town": {
        "English": ("I live in {it}.|My home is in {it}.", "Noted: You live in {it}.", "Where do I live?|In which town do I live?", "You live in {it}."),
        "French": ("J'habite à {it}.", "C'est noté : tu habites à {it}.", "Où est-ce que j'habite ?|Où j'habite ?", "Tu habites à {it}."),
        "German": ("Ich wohne in {it}.|Ich lebe in {it}.", "Notiert: Du wohnst in {it}.", "Wo wohne ich?|Wo lebe ich?", "Du wohnst in {it}."),
        "Spanish": ("Vivo en {it}.", "Anotado: vives en {it}.", "¿Dónde vivo?", "Vives en {it}."),
        "Italian": ("Abito a {it}.|Vivo a {it}.", "Annotato: abiti a {it}.", "Dove abito?|Dove vivo?", "Abiti a {it}."),
    },
    "colour": {
        "English": ("My favourite colour is {it}.|I like {it} best.", "Noted: Your favourite colour is {it}.", "What is my favourite colour?|Which colour do I like best?", "Your favourite colour is {it}."),
        "French": ("Ma couleur préférée est le {it}.", "C'est noté : ta couleur préférée est le {it}.", "Quelle est ma couleur préférée ?", "Ta couleur préférée est le {it}."),
        "German": ("Meine Lieblingsfarbe ist {it}.", "Notiert: Deine Lieblingsfarbe ist {it}.", "Was ist meine Lieblingsfarbe?", "Deine Lieblingsfarbe ist {it}."),
        "Spanish": ("Mi color favorito es el {it}.", "Anotado: tu color favorito es el {it}.", "¿Cuál es mi color favorito?", "Tu color favorito es el {it}."),
        "Italian": ("Il mio colore preferito è il {it}.", "Annotato: il tuo colore preferito è il {it}.", "Qual è il mio colore preferito?", "Il tuo colore preferito è il {it}."),
    },
    "number": {
        "English": ("My lucky number is {it}.", "Noted: Your lucky number is {it}.", "What is my lucky number?|Which number is my lucky number?", "Your lucky number is {it}."),
        "French": ("Mon chiffre porte-bonheur est {it}.", "C'est noté : ton chiffre porte-bonheur est {it}.", "Quel est mon chiffre porte-bonheur ?", "Ton chiffre porte-bonheur est {it}."),
        "German": ("Meine Glückszahl ist {it}.", "Notiert: Deine Glückszahl ist {it}.", "Was ist meine Glückszahl?", "Deine Glückszahl ist {it}."),
        "Spanish": ("Mi número de la suerte es {it}.", "Anotado: tu número de la suerte es {it}.", "¿Cuál es mi número de la suerte?", "Tu número de la suerte es {it}."),
        "Italian": ("Il mio numero fortunato è {it}.", "Annotato: il tuo numero fortunato è {it}.", "Qual è il mio numero fortunato?", "Il tuo numero fortunato è {it}."),
    },
    "dog": {
        "English": ("My dog is called {it}.|I have a dog called {it}.", "Noted: Your dog is called {it}.", "What is my dog called?|What is the name of my dog?", "Your dog is called {it}."),
        "French": ("Mon chien s'appelle {it}.", "C'est noté : ton chien s'appelle {it}.", "Comment s'appelle mon chien ?", "Ton chien s'appelle {it}."),
        "German": ("Mein Hund heißt {it}.", "Notiert: Dein Hund heißt {it}.", "Wie heißt mein Hund?", "Dein Hund heißt {it}."),
        "Spanish": ("Mi perro se llama {it}.", "Anotado: tu perro se llama {it}.", "¿Cómo se llama mi perro?", "Tu perro se llama {it}."),
        "Italian": ("Il mio cane si chiama {it}.", "Annotato: il tuo cane si chiama {it}.", "Come si chiama il mio cane?", "Il tuo cane si chiama {it}."),
    },
}  # fmt: skip

UNKNOWN = {
    "English": "I don't know. You have not told me that.",
    "French": "Je ne sais pas. Tu ne me l'as pas dit.",
    "German": "Das weiß ich nicht. Du hast es mir nicht gesagt.",
    "Spanish": "No lo sé. No me lo has dicho.",
    "Italian": "Non lo so. Non me lo hai detto.",
}

# Sums: how they are asked in the language, how they are answered.
SUMS: Mapping[str, tuple[str, str]] = {
    "English": ("What is {a} plus {b}?|What is {a} + {b}?|{a} + {b}|How much is {a} plus {b}?", "{a} + {b} = {c}."),
    "French": ("Combien font {a} plus {b} ?", "Cela fait {c}."),
    "German": ("Was ist {a} plus {b}?", "Das macht {c}."),
    "Spanish": ("¿Cuánto es {a} más {b}?", "Eso hace {c}."),
    "Italian": ("Quanto fa {a} più {b}?", "Fa {c}."),
}  # fmt: skip

COLOURS = {
    "English": "red blue green yellow black white grey brown orange pink purple".split(),
    "French": "rouge bleu vert jaune noir blanc gris brun orange rose violet".split(),
    "German": "rot blau grün gelb schwarz weiß grau braun orange rosa lila".split(),
    "Spanish": "rojo azul verde amarillo negro blanco gris marrón naranja rosa morado".split(),
    "Italian": "rosso blu verde giallo nero bianco grigio marrone arancione rosa viola".split(),
}
NUMBERS = {
    "English": "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty".split(),
    "French": "zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf vingt".split(),
    "German": "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn zwanzig".split(),
    "Spanish": "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete dieciocho diecinueve veinte".split(),
    "Italian": "zero uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici diciassette diciotto diciannove venti".split(),
}
DAYS = {
    "English": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split(),
    "French": "lundi mardi mercredi jeudi vendredi samedi dimanche".split(),
    "German": "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag".split(),
    "Spanish": "lunes martes miércoles jueves viernes sábado domingo".split(),
    "Italian": "lunedì martedì mercoledì giovedì venerdì sabato domenica".split(),
}
MONTHS = {
    "English": "January February March April May June July August September October November December".split(),
    "French": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre".split(),
    "German": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split(),
    "Spanish": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre".split(),
    "Italian": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre".split(),
}
# The words that are asked for and answered: which word is meant, and the whole sentence.
AFTER = {
    "English": (
        "Which {kind} comes after {it}?|What {kind} is after {it}?",
        "{next} comes after {it}.",
    ),
    "French": ("Qu'est-ce qui vient après {it} ?", "Après {it} vient {next}."),
    "German": ("Was kommt nach {it}?", "Nach {it} kommt {next}."),
    "Spanish": ("¿Qué viene después de {it}?", "Después de {it} viene {next}."),
    "Italian": ("Che cosa viene dopo {it}?", "Dopo {it} viene {next}."),
}


def elided(sentence: str) -> str:
    """The sentence with its articles shortened before a vowel, where this table needs it."""
    return sentence.replace(" le orange", " l'orange").replace(" il arancione", " l'arancione")
