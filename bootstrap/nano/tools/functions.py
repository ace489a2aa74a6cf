"""Which functions may a conversation declare, and how do people ask for what they do?

A `Function` is what a request, a call, a result and an answer have in common. Its name, its
parameters' names and its description are each drawn from several, so that the model has to read
the declaration. `{place}` stands for the parameter or the result of that key.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["FUNCTIONS", "Function", "Parameter"]


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter: required unless `said` tells how a user mentions it.

    Two ways of saying it belong to a boolean: true, then false.
    """

    key: str
    names: tuple[str, ...]
    pool: str
    about: str
    said: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Function:
    """A function, what it takes and gives, and the words around it.

    The first of `gives` is what an answer has to contain. `lack` says what is asked back where
    `bare`, a request that leaves the first parameter out, is made.
    """

    names: tuple[str, ...]
    abouts: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    want: str
    asks: tuple[str, ...]
    gives: tuple[tuple[str, str], ...]
    answer: str
    bare: str = ""
    lack: str = ""


def _p(key: str, names: str, pool: str, about: str, *said: str, choices: str = "") -> Parameter:
    return Parameter(key, tuple(names.split()), pool, about, said, tuple(choices.split()))


def _gives(text: str) -> tuple[tuple[str, str], ...]:
    """`key:pool key:pool` as pairs."""
    return tuple((key, pool) for key, _, pool in (item.partition(":") for item in text.split()))


def _f(  # noqa: PLR0913, PLR0917  (a row of the table)
    names: str,
    abouts: str,
    parameters: tuple[Parameter, ...],
    want: str,
    asks: tuple[str, ...],
    gives: str,
    answer: str,
    bare: str = "",
    lack: str = "",
) -> Function:
    return Function(
        tuple(names.split()), tuple(abouts.split("|")), parameters, want, asks, _gives(gives),
        answer, bare, lack,
    )  # fmt: skip


_TOWN = _p("place", "city town place location", "town", "The town.")
_WHO = _p("who", "name person who", "name", "The person's name.")

FUNCTIONS: dict[str, Function] = {
    "weather": _f(
        "get_weather weather.get weather_now current_weather getWeather weather.current",
        "Get the weather in a city.|Current weather for a place.|Tells the weather of a town.",
        (
            _TOWN,
            _p("unit", "unit units", "", "The unit of temperature.", " Use {unit}.", " In {unit}.",
               choices="celsius fahrenheit"),
        ),
        "the weather in {place}",
        ("What is the weather in {place}?", "How is the weather in {place}?",
         "Is it nice out in {place}? Check the weather.", "Weather in {place}?",
         "Check the weather in {place}.", "I travel to {place}. How is the weather there?"),
        "sky:sky temperature:degrees",
        "In {place} it is {sky} and {temperature} degrees.",
        "What is the weather like?", "the town",
    ),
    "time": _f(
        "get_time clock.now current_time time_in world_clock getTime",
        "Get the time in a city.|The current local time of a place.",
        (_TOWN,),
        "the time in {place}",
        ("What time is it in {place}?", "What is the time in {place}?", "Time in {place}?",
         "How late is it in {place}?", "Tell me the local time in {place}."),
        "time:time",
        "It is {time} in {place}.",
        "What time is it there?", "the town",
    ),
    "forecast": _f(
        "get_forecast weather.forecast forecast weather_ahead",
        "Weather forecast for the next days.|How the weather will be in a town.",
        (_TOWN, _p("days", "days day_count number_of_days", "few", "How many days ahead.")),
        "the forecast for {place}",
        ("What will the weather be in {place} in {days} days?",
         "Forecast for {place}, {days} days ahead.",
         "How will the weather be in {place} {days} days from now?"),
        "sky:sky high:degrees",
        "In {days} days it will be {sky} in {place}, at most {high} degrees.",
    ),
    "search": _f(
        "search_notes notes.search find_note note_search searchNotes",
        "Search the user's notes.|Find notes that contain a text.",
        (
            _p("query", "query text q search", "word", "What to look for."),
            _p("limit", "limit max_results top", "few", "How many notes at most.",
               " At most {limit}.", " Give me {limit} at most."),
        ),
        "the notes about {query}",
        ("What do my notes say about {query}?", "Search my notes for {query}.",
         "Find the note about {query}.", "Look for {query} in my notes."),
        "note:text",
        "Your note says: {note}.",
        "Search my notes.", "what to look for",
    ),
    "event": _f(
        "add_event calendar.add create_event calendar_add addEvent",
        "Add an event to the calendar.|Create a calendar entry.",
        (
            _p("title", "title name summary", "title", "What the event is called."),
            _p("date", "date day", "date", "The day, as YYYY-MM-DD."),
            _p("time", "time start start_time", "time", "When it starts.", " It starts at {time}."),
        ),
        "a new event on {date}",
        ('Add "{title}" to my calendar on {date}.', 'Put "{title}" on {date} in the calendar.',
         'Create an event "{title}" for {date}.'),
        "id:number",
        "The event is in your calendar, number {id}.",
    ),
    "message": _f(
        "send_message messages.send message_send text_person sendMessage",
        "Send a message to a person.|Sends a short text to someone.",
        (
            _p("who", "to recipient person", "name", "Who gets it."),
            _p("text", "text message body content", "text", "What it says."),
            _p("urgent", "urgent important", "yes", "Whether it is urgent.",
               " It is urgent.", " It is not urgent."),
        ),
        "a message to {who}",
        ('Send {who} the message "{text}".', 'Tell {who} this: "{text}".',
         'Write to {who}: "{text}".', 'Please send "{text}" to {who}.'),
        "id:order",
        "The message to {who} is sent, its id is {id}.",
        "Send a message.", "who gets it and what it says",
    ),
    "email": _f(
        "send_email mail.send email_send mailer.send",
        "Send an e-mail to an address.|Sends mail.",
        (
            _p("address", "to address email", "email", "The address."),
            _p("text", "body text content", "text", "The text of the mail."),
        ),
        "a mail to {address}",
        ('Send a mail to {address} that says "{text}".', 'Mail "{text}" to {address}.',
         'Write an e-mail to {address}: "{text}".'),
        "id:order",
        "The mail to {address} is sent, its id is {id}.",
    ),
    "contact": _f(
        "get_contact contacts.get find_contact address_book.find lookup_contact",
        "Find the mail address and telephone of a person.|Look up a contact.",
        (_WHO,),
        "the contact {who}",
        ("What is the mail address of {who}?", "How can I mail {who}?",
         "Look up the address of {who} in my contacts."),
        "address:email phone:phone",
        "The address of {who} is {address}.",
    ),
    "convert": _f(
        "convert_currency currency.convert money_convert exchange convertMoney",
        "Convert money from one currency to another.|Exchange an amount of money.",
        (
            _p("amount", "amount value sum", "amount", "How much."),
            _p("source", "from from_currency source", "currency", "The currency it is in."),
            _p("target", "to to_currency target", "currency", "The currency it becomes."),
        ),
        "{amount} {source} in {target}",
        ("How much is {amount} {source} in {target}?", "Convert {amount} {source} to {target}.",
         "What are {amount} {source} in {target}?", "Change {amount} {source} into {target}."),
        "result:price",
        "{amount} {source} are {result} {target}.",
    ),
    "calculator": _f(
        "calculator calculate math.evaluate compute eval_expression",
        "Work out an arithmetic expression.|A calculator for large numbers.",
        (_p("expression", "expression input formula", "sum", "What to work out."),),
        "the result of {expression}",
        ("Use the calculator: {expression}", "Calculate {expression} with your tool.",
         "Let the calculator work out {expression}."),
        "result:number",
        "The result is {result}.",
    ),
    "stock": _f(
        "get_stock stocks.price stock_price quote getQuote",
        "Get the price of a share.|The latest price of a stock.",
        (_p("symbol", "symbol ticker stock", "symbol", "The letters of the share."),),
        "the price of {symbol}",
        ("What does a share of {symbol} cost?", "What is the stock price of {symbol}?",
         "How is {symbol} trading?", "Get me the price of {symbol} shares."),
        "price:price currency:currency",
        "A share of {symbol} costs {price} {currency}.",
        "What does a share cost?", "the letters of the share",
    ),
    "translate": _f(
        "translate translator.translate translate_text text.translate",
        "Translate a text into another language.|Turns text into another language.",
        (
            _p("text", "text input content", "text", "The text."),
            _p("language", "language target_language to", "language", "The language wanted."),
        ),
        "a translation into {language}",
        ('Translate "{text}" into {language}.', 'How do you say "{text}" in {language}?',
         'What is "{text}" in {language}?', 'Put "{text}" into {language}.'),
        "translation:strange",
        "In {language} it is: {translation}.",
    ),
    "alarm": _f(
        "set_alarm alarm.set alarm_clock wake_up setAlarm",
        "Set an alarm.|Wakes the user at a time.",
        (
            _p("time", "time at hour", "time", "When it rings."),
            _p("loud", "loud noisy", "yes", "Whether it is loud.", " Make it loud.",
               " Make it quiet, not loud."),
        ),
        "an alarm at {time}",
        ("Wake me at {time}.", "Set an alarm for {time}.", "I have to get up at {time}. Set it.",
         "Please set the alarm to {time}."),
        "id:few",
        "Alarm {id} is set for {time}.",
        "Set an alarm.", "the time",
    ),
    "timer": _f(
        "start_timer timer.start countdown timer",
        "Start a timer.|Counts down minutes.",
        (_p("minutes", "minutes duration length", "small", "How many minutes."),),
        "a timer for {minutes} minutes",
        ("Start a timer for {minutes} minutes.", "Set a timer: {minutes} minutes.",
         "Tell me when {minutes} minutes are over.", "Timer, {minutes} minutes."),
        "ends:time",
        "The timer ends at {ends}.",
        "Start a timer.", "how many minutes",
    ),
    "read": _f(
        "read_file files.read file_read open_file readFile",
        "Read a text file.|Gives the content of a file.",
        (_p("path", "path file filename", "path", "Where the file is."),),
        "the content of {path}",
        ("What is in {path}?", "Read {path}.", "Open {path} and tell me what it says.",
         "Show me the file {path}."),
        "content:text",
        "The file says: {content}.",
        "Read the file.", "which file",
    ),
    "files": _f(
        "find_file files.find locate_file search_files",
        "Find a file by its topic.|Tells where a file is.",
        (_p("topic", "topic about query", "word", "What the file is about."),),
        "the file about {topic}",
        ("Where is my file about {topic}?", "Find the file about {topic}.",
         "Which file is about {topic}?"),
        "path:path",
        "The file is {path}.",
    ),
    "order": _f(
        "lookup_order orders.get order_status get_order getOrder",
        "Look up an order.|The state of an order in the shop.",
        (_p("order", "order_id order number", "order", "The number of the order."),),
        "order {order}",
        ("Where is my order {order}?", "What is the state of order {order}?",
         "Check order {order}.", "How is order {order} doing?"),
        "state:state parcel:order",
        "Order {order} is {state}.",
        "Where is my order?", "the number of the order",
    ),
    "parcel": _f(
        "track_parcel parcels.track tracking track_package",
        "Track a parcel.|Where a parcel is.",
        (_p("parcel", "parcel parcel_id tracking_number", "order", "The number of the parcel."),),
        "parcel {parcel}",
        ("Where is parcel {parcel}?", "Track parcel {parcel}.",
         "Where did parcel {parcel} get to?"),
        "place:town",
        "The parcel is in {place}.",
    ),
    "person": _f(
        "find_person people.locate where_is locate_person",
        "Find out in which town a person is.|Tells where someone is now.",
        (_WHO,),
        "where {who} is",
        ("Which town is {who} in?", "Find out where {who} is.", "Locate {who} for me."),
        "place:town",
        "{who} is in {place}.",
    ),
    "stockroom": _f(
        "count_stock warehouse.count inventory.get stock_level",
        "How many pieces of an article are in stock.|Look into the stock of the shop.",
        (
            _p("goods", "article item product", "goods", "The article."),
            _p("place", "warehouse branch store", "town", "Which branch.", " In {place}.",
               " For the branch in {place}."),
        ),
        "how many {goods} are in stock",
        ("How many {goods} are in stock?", "Do we have {goods} in stock? How many?",
         "Check the stock of {goods}.", "How many {goods} does the shop have?"),
        "count:number",
        "There are {count} {goods} in stock.",
        "How many are in stock?", "the article",
    ),
    "list": _f(
        "add_to_list shopping.add list_add shopping_list",
        "Put things on the shopping list.|Adds articles to the list.",
        (_p("things", "items articles things", "things", "What to add."),),
        "{things} on the list",
        ("Put {things} on my shopping list.", "Add {things} to the list.",
         "I need {things}. Put them on the list."),
        "count:small",
        "Done. There are {count} things on the list now.",
        "Add something to the list.", "what to add",
    ),
    "invite": _f(
        "invite_people meeting.invite send_invites inviteAll",
        "Invite people to a meeting.|Sends invitations.",
        (
            _p("names", "people guests names", "names", "Who is invited."),
            _p("time", "time at start", "time", "When it is."),
        ),
        "{names} at {time}",
        ("Invite {names} for {time}.", "Ask {names} to come at {time}.",
         "I want to meet {names} at {time}. Invite them."),
        "room:place",
        "They are invited for {time}. You meet in the {room}.",
    ),
    "room": _f(
        "book_room rooms.book reserve_room room_booking",
        "Book a room for a day.|Reserve a room.",
        (
            _p("people", "people seats size", "few", "For how many people."),
            _p("date", "date day", "date", "The day, as YYYY-MM-DD."),
            _p("quiet", "quiet silent", "yes", "Whether it has to be quiet.",
               " It has to be quiet.", " It need not be quiet."),
        ),
        "a room for {people} people",
        ("Book a room for {people} people on {date}.", "I need a room for {people} on {date}.",
         "Reserve a room on {date}, we are {people}."),
        "room:place",
        "The {room} is booked for {date}.",
    ),
    "flight": _f(
        "find_flight flights.search flight_search searchFlights",
        "Find a flight between two towns.|Search for flights.",
        (
            _p("start", "from origin start", "town", "Where it starts."),
            _p("goal", "to destination goal", "town", "Where it lands."),
            _p("date", "date day", "date", "The day.", " On {date}."),
        ),
        "a flight from {start} to {goal}",
        ("Find a flight from {start} to {goal}.", "How do I fly from {start} to {goal}?",
         "I want to fly from {start} to {goal}."),
        "flight:order time:time",
        "Flight {flight} leaves {start} at {time}.",
    ),
    "train": _f(
        "next_train trains.next train_times departures",
        "When the next train leaves.|Train departures of a town.",
        (
            _p("start", "station from town", "town", "The town it leaves."),
            _p("goal", "direction to destination", "town", "Where it goes."),
        ),
        "the next train from {start} to {goal}",
        ("When does the next train from {start} to {goal} leave?",
         "Next train from {start} to {goal}?", "I am in {start} and need a train to {goal}."),
        "time:time platform:few",
        "The next train to {goal} leaves at {time} from platform {platform}.",
    ),
    "distance": _f(
        "get_distance route.distance how_far distance",
        "The distance between two towns.|How far two places are apart.",
        (
            _p("start", "from start origin", "town", "The first town."),
            _p("goal", "to end destination", "town", "The second town."),
        ),
        "the distance from {start} to {goal}",
        ("How far is it from {start} to {goal}?", "What is the distance from {start} to {goal}?",
         "How many kilometres are there from {start} to {goal}?"),
        "kilometres:number",
        "It is {kilometres} kilometres from {start} to {goal}.",
    ),
    "birthday": _f(
        "get_birthday people.birthday birthday_of birthdays.get",
        "The birthday of a person.|When someone was born.",
        (_WHO,),
        "the birthday of {who}",
        ("When is the birthday of {who}?", "Look up when {who} has birthday.",
         "What does the calendar say about the birthday of {who}?"),
        "date:date",
        "The birthday of {who} is {date}.",
        "When is the birthday?", "the name",
    ),
    "days": _f(
        "days_until dates.until countdown_days days_to",
        "How many days are left until a date.|Counts the days to a date.",
        (_p("date", "date day until", "date", "The date."),),
        "the days until {date}",
        ("How many days are left until {date}?", "How long is it until {date}?",
         "Count the days to {date}."),
        "days:number",
        "There are {days} days left.",
    ),
    "customer": _f(
        "find_customer customers.find customer_lookup get_customer_id",
        "Find the number of a customer.|Look up a customer by name.",
        (_WHO,),
        "the customer {who}",
        ("What is the customer number of {who}?", "Find the customer {who}.",
         "Look up the customer number of {who}."),
        "customer:number",
        "The customer number of {who} is {customer}.",
    ),
    "balance": _f(
        "get_balance accounts.balance account_balance balance",
        "How much money is in a customer's account.|The balance of a customer number.",
        (_p("customer", "customer customer_id account", "number", "The customer number."),),
        "the balance of customer {customer}",
        ("What is the balance of customer {customer}?", "How much does customer {customer} have?",
         "Check the account of customer {customer}."),
        "balance:price",
        "The balance is {balance}.",
        "What is the balance?", "the customer number",
    ),
    "lights": _f(
        "set_lights lights.set light_switch home.lights setLights",
        "Change the lights of a room.|Switch lights.",
        (
            _p("room", "room place where", "place", "Which room."),
            _p("colour", "color colour tint", "colour", "The colour."),
            _p("percent", "brightness level percent", "small", "How bright, in percent.",
               " At {percent} percent.", " Brightness {percent}."),
        ),
        "{colour} light in the {room}",
        ("Make the light in the {room} {colour}.", "Turn the lights of the {room} {colour}.",
         "I want {colour} light in the {room}."),
        "lamps:few",
        "Done. {lamps} lamps in the {room} are {colour}.",
    ),
    "heating": _f(
        "set_heating heating.set thermostat set_temperature",
        "Set how warm a room shall be.|Change the heating.",
        (
            _p("room", "room place zone", "place", "Which room."),
            _p("degrees", "degrees temperature target", "small", "How warm."),
        ),
        "{degrees} degrees in the {room}",
        ("Heat the {room} to {degrees} degrees.", "Set the {room} to {degrees} degrees.",
         "I want {degrees} degrees in the {room}."),
        "now:degrees",
        "Done. It is {now} degrees in the {room} now.",
    ),
    "music": _f(
        "play_music music.play player.play play_song playSong",
        "Play a song.|Starts music.",
        (
            _p("title", "song title track", "title", "The song."),
            _p("repeat", "repeat loop again", "yes", "Whether it starts over at its end.",
               " Repeat it.", " Do not repeat it."),
        ),
        'the song "{title}"',
        ('Play "{title}".', 'I want to hear "{title}".', 'Put on the song "{title}".'),
        "artist:name",
        "Now playing, by {artist}.",
        "Play a song.", "which song",
    ),
    "book": _f(
        "find_book library.find library_search book_search",
        "Find a book in the library.|Tells on which shelf a book is.",
        (
            _p("title", "title book name", "title", "The title of the book."),
            _p("kind", "format kind type", "", "The form of it.", " As {kind}.",
               " I want it as {kind}.", choices="paper audio digital"),
        ),
        'the book "{title}"',
        ('Where is the book "{title}"?', 'Does the library have "{title}"?',
         'On which shelf is "{title}"?'),
        "shelf:order",
        "It is on shelf {shelf}.",
    ),
    "recipe": _f(
        "find_recipe recipes.search cook recipe_search",
        "Find a recipe for what is in the kitchen.|Search recipes.",
        (
            _p("food", "ingredient food with", "food", "What has to be in it."),
            _p("sweet", "sweet dessert", "yes", "Whether it is sweet.", " Something sweet.",
               " Nothing sweet."),
        ),
        "a recipe with {food}",
        ("What can I cook with {food}?", "Find a recipe with {food}.",
         "I have {food}. What can I cook?"),
        "dish:title minutes:small",
        "You can cook {dish}. It takes {minutes} minutes.",
    ),
    "exchange": _f(
        "get_rate rates.get currency_rate rate",
        "The rate between two currencies.|How much one unit of money is in another.",
        (
            _p("source", "from base source", "currency", "The first currency."),
            _p("target", "to quote target", "currency", "The second currency."),
        ),
        "the rate from {source} to {target}",
        ("What is the rate from {source} to {target}?", "Give me the {source} to {target} rate."),
        "rate:price",
        "One {source} is {rate} {target}.",
    ),
    "news": _f(
        "get_news news.latest headlines latest_news",
        "The latest headline about a topic.|News of the day.",
        (
            _p("topic", "topic about subject", "word", "What it is about."),
            _p("language", "language lang", "language", "In which language.", " In {language}.",
               " It has to be {language}."),
        ),
        "news about {topic}",
        ("What is new about {topic}?", "Any news about {topic}?", "Latest headline on {topic}?"),
        "headline:text",
        "The headline is: {headline}.",
    ),
    "ticket": _f(
        "open_ticket tickets.create support.open report_problem createTicket",
        "Open a ticket for a problem.|Report something broken.",
        (
            _p("object", "subject thing device", "object", "What is broken."),
            _p("priority", "priority severity level", "", "How soon it has to be done.",
               " Priority {priority}.", " The priority is {priority}.", choices="low normal high"),
        ),
        "a ticket about the {object}",
        ("The {object} is broken. Open a ticket.", "Report that the {object} does not work.",
         "Open a ticket for the {object}."),
        "ticket:order",
        "Ticket {ticket} is open.",
    ),
    "dice": _f(
        "roll_dice dice.roll random_number roll",
        "Roll dice.|Throws dice with some number of sides.",
        (
            _p("sides", "sides faces max", "small", "How many sides it has."),
            _p("times", "times count rolls", "few", "How often.", " {times} times.",
               " Do it {times} times."),
        ),
        "a die with {sides} sides",
        ("Roll a die with {sides} sides.", "Throw a die that has {sides} sides."),
        "result:small",
        "The die shows {result}.",
        "Roll a die.", "how many sides it has",
    ),
    "define": _f(
        "define dictionary.define word_meaning dictionary",
        "The meaning of a word.|Look a word up in the dictionary.",
        (_p("word", "word term", "strange", "The word."),),
        'the meaning of "{word}"',
        ('What does "{word}" mean? Look it up.', 'Look up "{word}" in the dictionary.',
         'Define "{word}" with the dictionary.'),
        "meaning:object",
        '"{word}" means {meaning}.',
        "Look up a word.", "the word",
    ),
}  # fmt: skip
