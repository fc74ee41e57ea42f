// Stands in for libcrypto: every function that digests, decryption and certificate checks use.
#include "delayed_library.h"
#include "libcrypto.h"
#include <openssl/opensslv.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

// Visible to this program only: libcurl uses the library itself.
#pragma GCC visibility push(hidden)

static struct kettle_delayed_library libcrypto = {
    .name = KETTLE_LIBRARY_FILE("libcrypto", OPENSSL_SHLIB_VERSION)};

const char *kettle_crypto_problem(void) { return kettle_delayed_problem(&libcrypto); }

#define DELAYED(type, name, parameters, ...) \
  KETTLE_DELAYED(libcrypto, type, name, parameters, __VA_ARGS__)

DELAYED(unsigned int, OPENSSL_version_major, (void))

// MARK: Digests

DELAYED(const EVP_MD *, EVP_md5, (void))
DELAYED(const EVP_MD *, EVP_sha1, (void))
DELAYED(const EVP_MD *, EVP_sha224, (void))
DELAYED(const EVP_MD *, EVP_sha256, (void))
DELAYED(const EVP_MD *, EVP_sha384, (void))
DELAYED(const EVP_MD *, EVP_sha512, (void))
DELAYED(EVP_MD_CTX *, EVP_MD_CTX_new, (void))
DELAYED(void, EVP_MD_CTX_free, (EVP_MD_CTX *context), context)
DELAYED(int, EVP_DigestInit_ex, (EVP_MD_CTX *context, const EVP_MD *kind, ENGINE *engine),
        context, kind, engine)
DELAYED(int, EVP_DigestUpdate, (EVP_MD_CTX *context, const void *bytes, size_t count),
        context, bytes, count)
DELAYED(int, EVP_DigestFinal_ex,
        (EVP_MD_CTX *context, unsigned char *digest, unsigned int *byte_count),
        context, digest, byte_count)
DELAYED(int, EVP_Digest,
        (const void *bytes, size_t count, unsigned char *digest, unsigned int *byte_count,
         const EVP_MD *kind, ENGINE *engine),
        bytes, count, digest, byte_count, kind, engine)

// MARK: Decryption

DELAYED(int, PKCS5_PBKDF2_HMAC,
        (const char *password, int password_count, const unsigned char *salt, int salt_count,
         int iterations, const EVP_MD *kind, int key_count, unsigned char *key),
        password, password_count, salt, salt_count, iterations, kind, key_count, key)
DELAYED(const EVP_CIPHER *, EVP_aes_128_cbc, (void))
DELAYED(EVP_CIPHER_CTX *, EVP_CIPHER_CTX_new, (void))
DELAYED(void, EVP_CIPHER_CTX_free, (EVP_CIPHER_CTX *context), context)
DELAYED(int, EVP_DecryptInit_ex,
        (EVP_CIPHER_CTX *context, const EVP_CIPHER *kind, ENGINE *engine,
         const unsigned char *key, const unsigned char *vector),
        context, kind, engine, key, vector)
DELAYED(int, EVP_DecryptUpdate,
        (EVP_CIPHER_CTX *context, unsigned char *plain, int *plain_count,
         const unsigned char *bytes, int count),
        context, plain, plain_count, bytes, count)
DELAYED(int, EVP_DecryptFinal_ex,
        (EVP_CIPHER_CTX *context, unsigned char *plain, int *plain_count),
        context, plain, plain_count)

// MARK: Certificates

DELAYED(int, X509_verify_cert, (X509_STORE_CTX *verification), verification)
DELAYED(const char *, X509_verify_cert_error_string, (long error), error)
DELAYED(int, X509_STORE_CTX_get_error, (const X509_STORE_CTX *verification), verification)
DELAYED(void, X509_STORE_CTX_set_error, (X509_STORE_CTX *verification, int error),
        verification, error)
DELAYED(void *, X509_STORE_CTX_get_ex_data, (const X509_STORE_CTX *verification, int index),
        verification, index)
DELAYED(X509 *, X509_STORE_CTX_get0_cert, (const X509_STORE_CTX *verification), verification)
DELAYED(STACK_OF(X509) *, X509_STORE_CTX_get0_untrusted, (const X509_STORE_CTX *verification),
        verification)
DELAYED(int, X509_check_host,
        (X509 *certificate, const char *name, size_t count, unsigned int flags, char **peer),
        certificate, name, count, flags, peer)
DELAYED(int, X509_check_ip_asc, (X509 *certificate, const char *address, unsigned int flags),
        certificate, address, flags)
DELAYED(X509_PUBKEY *, X509_get_X509_PUBKEY, (const X509 *certificate), certificate)
DELAYED(X509_NAME *, X509_get_subject_name, (const X509 *certificate), certificate)
DELAYED(X509_NAME *, X509_get_issuer_name, (const X509 *certificate), certificate)
DELAYED(int, X509_NAME_get_text_by_NID,
        (const X509_NAME *name, int part, char *text, int size), name, part, text, size)
DELAYED(const ASN1_TIME *, X509_get0_notBefore, (const X509 *certificate), certificate)
DELAYED(const ASN1_TIME *, X509_get0_notAfter, (const X509 *certificate), certificate)
DELAYED(int, ASN1_TIME_to_tm, (const ASN1_TIME *time, struct tm *parts), time, parts)
DELAYED(int, i2d_X509, (const X509 *certificate, unsigned char **bytes), certificate, bytes)
DELAYED(int, i2d_X509_PUBKEY, (const X509_PUBKEY *key, unsigned char **bytes), key, bytes)
DELAYED(int, OPENSSL_sk_num, (const OPENSSL_STACK *stack), stack)
DELAYED(void *, OPENSSL_sk_value, (const OPENSSL_STACK *stack, int index), stack, index)
