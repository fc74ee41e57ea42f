// Message digests and decryption from OpenSSL's libcrypto, which libcurl brings into the process
// anyway.
// CKettleCurl also gets its certificate functions from here. Loaded on first use
// (delayed_library.h).
#ifndef KETTLE_CCRYPTO_H
#define KETTLE_CCRYPTO_H

#include <openssl/evp.h>

#if !defined(OPENSSL_VERSION_MAJOR) || OPENSSL_VERSION_MAJOR < 3
#error "OpenSSL 3.0 or newer is needed"
#endif

/// Returns NULL, or why libcrypto cannot be loaded.
const char *kettle_crypto_problem(void);

#endif
