// limits.h - the bounds of links, each with its reason.
#ifndef SS_LINK_LIMITS_H
#define SS_LINK_LIMITS_H

// One message, unless the options say otherwise. A peer that sends a larger one
// is disconnected.
#define SS_LINK_MESSAGE_SIZE_MAX (68u << 20)

enum {
    // Messages that wait for one peer, either way. The layers above send by
    // credit and stay far below; only a client that does not read its stream
    // reaches this limit, or that of SS_LINK_UNREAD_MB before.
    SS_LINK_QUEUE_MAX = 10000,
    // After a close, messages that were sent still leave for so long: a BYE, a
    // last answer.
    SS_LINK_LINGER_MS = 500,
    // A close waits at most so long until everything is sent and the port is
    // free.
    SS_LINK_CLOSE_MS = 5000,
    // What a look at a place where nobody answers may take: a person waits.
    SS_LINK_PROBE_MS = 500,
    // A peer that does not finish its handshake in this time is hung up on.
    // Half-open connections cost a descriptor each.
    SS_LINK_HANDSHAKE_MS = 10000,
    // A handshake that failed after so long counts as timed out. (Less than
    // SS_LINK_HANDSHAKE_MS, as libzmq measures it, and we learn of a connection
    // later than libzmq.)
    SS_LINK_SILENCE_MS = 7500,
    // The system notices a connection whose other side is gone without a word:
    // it asks after so many seconds of silence, at such intervals, so many
    // times; and it gives up when bytes sent stay unacknowledged for so long.
    // (Not by ZeroMQ's heartbeats: docs/decisions/0010 says why.)
    SS_LINK_KEEPALIVE_S = 30,
    SS_LINK_KEEPALIVE_EACH_S = 10,
    SS_LINK_KEEPALIVE_COUNT = 3,
    SS_LINK_UNACKNOWLEDGED_MS = 60000,
    // A client link tries again after this, up to the maximum.
    SS_LINK_RECONNECT_MS = 20,
    SS_LINK_RECONNECT_MAX_MS = 1000,
    SS_LINK_BACKLOG = 1024, // connections that wait to be accepted
    // A peer's identity: its name is twice as long, and a NUL.
    SS_LINK_IDENTITY_SIZE_MAX = 35,

    // What peers may take of a server link, unless it is told otherwise.
    SS_LINK_CONNECTIONS_MAX = 8192, // a descriptor each; fewer if there are
    SS_LINK_PER_ADDRESS_MAX = 1024, // machines with many worker processes
    // Commands in a script are one each. With keys one costs half a millisecond
    // of a processor: this is what an address can take of it.
    SS_LINK_CONNECTIONS_RATE = 100,
    SS_LINK_CONNECTIONS_BURST_S = 5, // a machine's processes start at once
    SS_LINK_MESSAGES_RATE = 50000,   // ten times what one busy client sends
    SS_LINK_MESSAGES_BURST_S = 2,
    // Handshakes of one address that are refused for their key: a machine whose
    // key is not allowed yet tries a few times. With more, and for so long
    // after, each new connection counts as several, and so does each that is
    // refused for that: ten handshakes a second are half a hundredth of a
    // processor, and honest ones of that address still come in.
    SS_LINK_REFUSALS_RATE = 2,
    SS_LINK_REFUSALS_BURST = 50,
    SS_LINK_SUSPECT_MS = 10000,
    SS_LINK_SUSPECT_COST = 10,
    // Connections of one address that are refused for their number or rate:
    // processes that try again each 20 ms to 1 s make some. More are a flood,
    // and the kernel drops the packets of the address to the port for so long.
    SS_LINK_EXCESS_RATE = 100,
    SS_LINK_EXCESS_BURST = 500,
    SS_LINK_FLOOD_MS = 1000,
    // Bytes that are held for all connections together, in both directions:
    // sent by peers and not yet taken, or given to peers and not yet accepted
    // by them. Room for seven of the largest messages. The sum is looked at so
    // often, or when a part of the limit was given since the last look; above
    // the limit at most so many peers are hung up on each time. Between two
    // looks it grows as fast as the network allows.
    SS_LINK_UNREAD_MB = 512,
    SS_LINK_UNREAD_LOOK_MS = 250,
    SS_LINK_UNREAD_PARTS = 8,
    SS_LINK_UNREAD_TURN_MAX = 64,
    // Messages that make no sense or are not allowed, of one key at one
    // address: an honest mistake repeats a few times.
    SS_LINK_WRONGS_RATE = 5,
    SS_LINK_WRONGS_BURST = 100,
    // A peer that goes beyond is hung up on, and its key has to wait: so long
    // at first, twice as long each time, at most that long.
    SS_LINK_WAIT_MS = 1000,
    SS_LINK_WAIT_MAX_MS = 60000,
    SS_LINK_OFFENDERS_MAX = 4096, // keys at addresses that are remembered
    SS_LINK_SWEEP_MS = 1000,
    // Handshakes that are not answered yet; further ones are not remembered,
    // time out, and come again.
    SS_LINK_HANDSHAKES_MAX = 256,
    // Queued messages of a peer that was hung up on are dropped for so long.
    SS_LINK_LEFTOVERS_MS = 1000,
    // Descriptors kept for files, the store and threads.
    SS_LINK_DESCRIPTORS_SPARE = 64,
    SS_LINK_DESCRIPTORS_MAX = 1 << 20, // the table of connections
    SS_LINK_ADDRESSES_MAX = 16384,     // addresses that are remembered
    SS_LINK_PEERS_MAX = 65536,         // peers whose messages are counted
    SS_LINK_FORGET_MS = 60000,         // an address that is quiet
    // Requests to come in, and events of connections, handled at a time: the
    // messages of peers that are in must not wait behind a flood.
    SS_LINK_DOOR_TURN_MAX = 256,
    // Messages dropped at a time before the caller gets its turn.
    SS_LINK_DROPPED_TURN_MAX = 1000,
    SS_LINK_NOTICES_MAX = 64, // that wait to be reported; more are only counted

    // A key file is a certificate: two keys, and metadata of anybody's.
    SS_KEY_FILE_SIZE_MAX = 4096,
    // A line of the allowed keys: a role, a name of 63, 40 of Z85.
    SS_KEYS_LINE_SIZE_MAX = 256,
    SS_KEYS_ALLOWED_MAX = 10000, // one for each machine of a large cluster
    SS_KEYS_LOOK_MS = 500,       // how soon a changed list counts
};

#endif
