// version.h - the version that programs print, the same as in CMakeLists.txt.
#ifndef SS_APP_VERSION_H
#define SS_APP_VERSION_H

#define SS_VERSION_TEXT "0.1.0"

#endif
