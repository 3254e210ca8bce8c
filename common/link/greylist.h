// greylist.h - peers that did wrong too often, and how long they have to wait
// for it.
//
// Without such a memory a peer that is hung up on comes back at once, and each
// time costs a handshake and a queue full of nonsense. Wrongs are counted for a
// key at an address: peers with another key, or another address, do not pay for
// them.
//
//   wrongs --rate exceeded--> wait WAIT_MS, then twice as long, ... WAIT_MAX_MS
//          <--nothing wrong for FORGET_MS: as new--
#ifndef SS_LINK_GREYLIST_H
#define SS_LINK_GREYLIST_H

#include <stdbool.h>
#include <stdint.h>

struct ss_greylist;

struct ss_greylist *ss_greylist_new(void);
void ss_greylist_destroy(struct ss_greylist **greylist);

// `key` (its name; "": it has none) at `address` did something that makes no
// sense, or that it may not. False: it did so too often, and has to wait from
// now on.
bool ss_greylist_wrong(struct ss_greylist *greylist, const char *address,
    const char *key, int64_t now_ms);
// It did something that is too much even once: it has to wait from now on; a
// wait that it has already does not get longer.
void ss_greylist_punish(struct ss_greylist *greylist, const char *address,
    const char *key, int64_t now_ms);
// When its wait is over; 0: it does not wait.
int64_t ss_greylist_end_ms(const struct ss_greylist *greylist,
    const char *address, const char *key, int64_t now_ms);

#endif
