// Stands in for libcurl and libssl: every function of them that is used. The libraries are loaded
// on first use (delayed_library.h).
#include "delayed_library.h"
#include "libcrypto.h"
#include "libcurl.h"
#include "tls.h"
#include <openssl/opensslv.h>
#include <string.h>

// Visible to this program only: libcurl calls some of its own functions by these names.
#pragma GCC visibility push(hidden)

// The version of the binary interface, unchanged since 2006.
static struct kettle_delayed_library libcurl = {.name = "libcurl.so.4"};
static struct kettle_delayed_library libssl = {
    .name = KETTLE_LIBRARY_FILE("libssl", OPENSSL_SHLIB_VERSION)};

const char *kettle_curl_problem(void) {
  const char *problem = kettle_delayed_problem(&libcurl);
  if (!problem) problem = kettle_delayed_problem(&libssl);
  return problem ? problem : kettle_crypto_problem();
}

// MARK: libcurl

#define DELAYED(type, name, parameters, ...) \
  KETTLE_DELAYED(libcurl, type, name, parameters, __VA_ARGS__)

DELAYED(CURLcode, curl_global_init, (long flags), flags)
DELAYED(curl_version_info_data *, curl_version_info, (CURLversion version), version)
DELAYED(struct curl_slist *, curl_slist_append, (struct curl_slist *list, const char *text),
        list, text)
DELAYED(void, curl_slist_free_all, (struct curl_slist *list), list)

DELAYED(CURL *, curl_easy_init, (void))
DELAYED(void, curl_easy_cleanup, (CURL *easy), easy)
DELAYED(CURLcode, curl_easy_pause, (CURL *easy, int directions), easy, directions)
DELAYED(const char *, curl_easy_strerror, (CURLcode code), code)

DELAYED(CURLM *, curl_multi_init, (void))
DELAYED(CURLMcode, curl_multi_cleanup, (CURLM *multi), multi)
DELAYED(CURLMcode, curl_multi_add_handle, (CURLM *multi, CURL *easy), multi, easy)
DELAYED(CURLMcode, curl_multi_remove_handle, (CURLM *multi, CURL *easy), multi, easy)
DELAYED(CURLMcode, curl_multi_perform, (CURLM *multi, int *running), multi, running)
DELAYED(CURLMcode, curl_multi_poll,
        (CURLM *multi, struct curl_waitfd others[], unsigned int count, int milliseconds,
         int *ready),
        multi, others, count, milliseconds, ready)
DELAYED(CURLMcode, curl_multi_wakeup, (CURLM *multi), multi)
DELAYED(CURLMsg *, curl_multi_info_read, (CURLM *multi, int *left), multi, left)
DELAYED(const char *, curl_multi_strerror, (CURLMcode code), code)

// MARK: curl_easy_setopt

#define SET_OPTION KETTLE_DELAYED_FUNCTION(libcurl, curl_easy_setopt)
#define OPTION(name, type)                                             \
  CURLcode kettle_easy_set_##name(CURL *easy, CURLoption option, type value) { \
    return SET_OPTION(easy, option, value);                            \
  }

OPTION(long, long)
OPTION(off, curl_off_t)
OPTION(text, const char *)
OPTION(pointer, void *)
OPTION(list, struct curl_slist *)
OPTION(data_function, curl_write_callback)

#define FUNCTION_OPTION(name, type, option)                            \
  CURLcode kettle_easy_set_##name(CURL *easy, type value) {            \
    return SET_OPTION(easy, option, value);                            \
  }

FUNCTION_OPTION(prereq_function, curl_prereq_callback, CURLOPT_PREREQFUNCTION)
FUNCTION_OPTION(debug_function, curl_debug_callback, CURLOPT_DEBUGFUNCTION)
FUNCTION_OPTION(seek_function, curl_seek_callback, CURLOPT_SEEKFUNCTION)
FUNCTION_OPTION(progress_function, curl_xferinfo_callback, CURLOPT_XFERINFOFUNCTION)
FUNCTION_OPTION(socket_function, curl_sockopt_callback, CURLOPT_SOCKOPTFUNCTION)
FUNCTION_OPTION(open_socket_function, curl_opensocket_callback, CURLOPT_OPENSOCKETFUNCTION)
FUNCTION_OPTION(tls_function, curl_ssl_ctx_callback, CURLOPT_SSL_CTX_FUNCTION)
FUNCTION_OPTION(ssh_key_function, curl_sshkeycallback, CURLOPT_SSH_KEYFUNCTION)

CURLcode kettle_easy_allow_http_only(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075500
  return SET_OPTION(easy, CURLOPT_PROTOCOLS_STR, "http,https");
#else
  return SET_OPTION(easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

CURLcode kettle_easy_allow_only(CURL *easy, const char *scheme) {
#if LIBCURL_VERSION_NUM >= 0x075500
  return SET_OPTION(easy, CURLOPT_PROTOCOLS_STR, scheme);
#else
  long protocol = strcmp(scheme, "sftp") == 0   ? CURLPROTO_SFTP
                  : strcmp(scheme, "ftps") == 0 ? CURLPROTO_FTPS
                                                : CURLPROTO_FTP;
  return SET_OPTION(easy, CURLOPT_PROTOCOLS, protocol);
#endif
}

CURLcode kettle_easy_leave_lookups_behind(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075700
  return SET_OPTION(easy, CURLOPT_QUICK_EXIT, 1L);
#else
  (void)easy;
  return CURLE_OK;
#endif
}

// MARK: curl_easy_getinfo

#define INFO(name, type)                                               \
  CURLcode kettle_easy_get_##name(CURL *easy, CURLINFO info, type *value) { \
    return KETTLE_DELAYED_FUNCTION(libcurl, curl_easy_getinfo)(easy, info, value); \
  }

INFO(long, long)
INFO(off, curl_off_t)
INFO(text, const char *)
INFO(pointer, void *)

// MARK: curl_multi_setopt

#define MULTI_OPTION(name, type)                                       \
  CURLMcode kettle_multi_set_##name(CURLM *multi, CURLMoption option, type value) { \
    return KETTLE_DELAYED_FUNCTION(libcurl, curl_multi_setopt)(multi, option, value); \
  }

MULTI_OPTION(long, long)
MULTI_OPTION(pointer, void *)

// MARK: libssl

#undef DELAYED
#define DELAYED(type, name, parameters, ...) \
  KETTLE_DELAYED(libssl, type, name, parameters, __VA_ARGS__)

DELAYED(long, SSL_CTX_ctrl, (SSL_CTX *context, int command, long value, void *more),
        context, command, value, more)
DELAYED(void, SSL_CTX_set_cert_verify_callback,
        (SSL_CTX *context, int (*verify)(X509_STORE_CTX *, void *), void *more),
        context, verify, more)
DELAYED(int, SSL_get_ex_data_X509_STORE_CTX_idx, (void))
DELAYED(const char *, SSL_get_servername, (const SSL *connection, const int kind),
        connection, kind)
