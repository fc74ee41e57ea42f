// The OpenSSL macros needed to verify a server's certificates in place of libcurl.
#ifndef KETTLE_CCURL_TLS_H
#define KETTLE_CCURL_TLS_H

#include <stddef.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

/// The newest allowed TLS version; 0 when none is set.
static inline long kettle_tls_newest_version(SSL_CTX *context) {
  return SSL_CTX_get_max_proto_version(context);
}

static const long kettle_tls_1_3 = TLS1_3_VERSION;

/// The connection whose certificates are verified.
static inline SSL *kettle_tls_connection(X509_STORE_CTX *verification) {
  return (SSL *)X509_STORE_CTX_get_ex_data(
      verification, SSL_get_ex_data_X509_STORE_CTX_idx());
}

/// The name sent to the server (SNI); NULL for an address.
static inline const char *kettle_tls_server_name(X509_STORE_CTX *verification) {
  SSL *connection = kettle_tls_connection(verification);
  return connection == NULL ? NULL
                            : SSL_get_servername(connection, TLSEXT_NAMETYPE_host_name);
}

/// The number of certificates that the server sent.
static inline int kettle_tls_certificate_count(X509_STORE_CTX *verification) {
  STACK_OF(X509) *sent = X509_STORE_CTX_get0_untrusted(verification);
  return sent == NULL ? 0 : sk_X509_num(sent);
}

static inline X509 *kettle_tls_certificate(X509_STORE_CTX *verification, int index) {
  return sk_X509_value(X509_STORE_CTX_get0_untrusted(verification), index);
}

/// Wildcards for whole labels only, and no fallback to the subject (RFC 9525, section 6).
static const unsigned int kettle_tls_name_rules =
    X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT;

#endif
