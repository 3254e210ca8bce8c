// ports.h - the addresses of the processes of a family: each has the port
// behind that of the one before.
#ifndef SS_APP_PORTS_H
#define SS_APP_PORTS_H

#include <stdbool.h>

// "tcp://[::1]:7433" and 2: "tcp://[::1]:7435"; "0.0.0.0:9464" likewise. Of a
// socket in the file system "ipc:///x" and 2: "ipc:///x.2". An address of any
// port ("*" or 0) stays as it is, as does each with 0. NULL: there is no port
// in it, or none that is so much higher. Gives.
char *ss_port_after(const char *address, unsigned count);
// Is it an address of any port?
bool ss_port_is_any(const char *address);

#endif
