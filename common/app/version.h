// version.h - the version that programs print; CMakeLists.txt has the same.
#ifndef SS_APP_VERSION_H
#define SS_APP_VERSION_H

#define SS_VERSION_TEXT "0.1.0"

#endif
