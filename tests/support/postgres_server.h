// postgres_server.h - a PostgreSQL of one's own: a private folder, a Unix
// socket in it and no port on any network. It ends with the process that
// started it.
#ifndef SS_TESTS_SUPPORT_POSTGRES_SERVER_H
#define SS_TESTS_SUPPORT_POSTGRES_SERVER_H

#include <stdbool.h>

struct postgres_server;

// Why there can be none ("... is not installed: apt-get install postgresql"),
// or NULL. Borrowed.
const char *postgres_server_missing(void);
// Make a database and start it. `is_durable`: with fsync, as in production.
// Gives; NULL with a line on stderr where that fails.
struct postgres_server *postgres_server_start(bool is_durable);
// End it, and remove its folder.
void postgres_server_stop(struct postgres_server **server);
// End it as `kill -9` of all its processes would, or politely; start it again
// on the same data. False with a line on stderr where it does not start.
void postgres_server_kill(struct postgres_server *server);
void postgres_server_end(struct postgres_server *server);
bool postgres_server_again(struct postgres_server *server);
// Start one that ended as what a promotion makes of a standby: the same system,
// a timeline of its own.
bool postgres_server_promoted(struct postgres_server *server);

// "postgresql:///postgres?host=FOLDER&user=postgres", to be extended with
// "&schema=NAME". Borrowed.
const char *postgres_server_url(const struct postgres_server *server);
// The folder of the data; of the programs; of the socket. Borrowed.
const char *postgres_server_data(const struct postgres_server *server);
const char *postgres_server_programs(void);
const char *postgres_server_folder(const struct postgres_server *server);

#endif
