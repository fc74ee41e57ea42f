// Message digests from OpenSSL's libcrypto, which libcurl brings into the process anyway.
#ifndef KETTLE_CCRYPTO_H
#define KETTLE_CCRYPTO_H

#include <openssl/evp.h>

#endif
