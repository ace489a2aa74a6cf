"""Acts: what people do to a conversation besides asking on, one small story a cell.

    scenario    what a scenario file of acts says
    plan        its cells with their slots filled; what each request has to show
    runner      the cells against a target, every request on disk when it has ended
    judge       everything that follows from such a run

Each request of an act is a trace like any other, and the checks of a turn judge it.
"""
