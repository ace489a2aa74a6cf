"""The browser driver: the playground's own page in a Chromium, measured from within.

    chromium         which browser, and what to install where there is none
    instruments.js   put into the page before its own scripts: copies what `fetch` brings, stamps it
    record           what the instruments kept, as a `Trace` like any other
    tab              a page under a person's hands: types, clicks, waits, looks
    hands            what else is done there, and what is seen when it is done
    chat             a conversation typed into the page, a turn at a time
    conversation     a conversation of which some legs are typed into the page
    known            a bare page that only asks: the client of the self-test

Playwright (the extra `browser`) is imported in `tab` alone, and only when a browser is started;
everything else, and everything that judges or reports, does without.
"""
