// limits.h - the bounds of a client's talk, each with its reason.
#ifndef SS_TALK_LIMITS_H
#define SS_TALK_LIMITS_H

enum {
    SS_TALK_REQUESTS = 1024, // under way at once, if the caller says no more
    SS_TALK_CONNECTIONS_MAX = 64,     // coordinators at once: a socket each
    SS_TALK_ENDPOINT_IDLE_MS = 30000, // then a line that nobody needs is closed
    SS_TALK_MOVED_MS = 250, // before a request that was sent around goes again
    SS_TALK_MOVES_MAX = 2,  // moves in a row that are followed at once
    SS_TALK_ATTEMPTS_MAX = 1024, // attempts whose items are counted
    SS_TALK_SEQ_SIZE_MAX = 48, // the number of an event: two integers and a dot
    SS_TALK_FRESH_MS = 1000,   // heard so recently: certainly there
    SS_TALK_PING_MS = 1000,    // between two PINGs
    SS_TALK_SILENCE_MS = 5000, // without a sign: look for another coordinator
    SS_TALK_KNOCK_MS = 1000,   // at most so long at one endpoint
    SS_TALK_KNOCK_MS_MIN = 200,
    // So long one endpoint is asked alone; then all that were given are: a dead
    // one costs no more, a live one is spared the connections.
    SS_TALK_HEAD_START_MS = 50,
    SS_TALK_CONNECT_MS = 1500,    // nobody was ever there: give up
    SS_TALK_PATIENCE_MS = 60000,  // somebody was there: a restart takes a while
    SS_TALK_AGAIN_MS = 5000,      // what has no answer at all is asked again
    SS_TALK_AGAIN_MS_MAX = 60000, // (each time after twice as long, up to this)
    SS_TALK_RECHECK_MS = 30000,   // a run without an event is attached again
    SS_TALK_ONCE_MS = 60000, // a request that is never repeated is given up
};

#endif
