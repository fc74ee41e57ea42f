// The parts of libcurl that Swift cannot call: its variadic functions, with one wrapper for each
// argument type, and constants that are macros with casts.
#ifndef KETTLE_CCURL_H
#define KETTLE_CCURL_H

// curl's own type checks require a constant option. In the wrappers it is an argument, and the
// wrapper's signature checks the type of the value.
#ifndef CURL_DISABLE_TYPECHECK
#define CURL_DISABLE_TYPECHECK
#endif
#include <curl/curl.h>

// CURLOPT_PREREQFUNCTION requires 7.80.0.
#if LIBCURL_VERSION_NUM < 0x075000
#error "libcurl 7.80.0 or newer is needed"
#endif

/// Returns NULL, or why libcurl, or OpenSSL below it, cannot be loaded. Both are loaded on first
/// use (delayed_library.h).
const char *kettle_curl_problem(void);

// MARK: curl_easy_setopt

CURLcode kettle_easy_set_long(CURL *easy, CURLoption option, long value);
CURLcode kettle_easy_set_off(CURL *easy, CURLoption option, curl_off_t value);
/// libcurl copies the text, except that of CURLOPT_POSTFIELDS.
CURLcode kettle_easy_set_text(CURL *easy, CURLoption option, const char *value);
CURLcode kettle_easy_set_pointer(CURL *easy, CURLoption option, void *value);
CURLcode kettle_easy_set_list(CURL *easy, CURLoption option, struct curl_slist *value);
/// For CURLOPT_WRITEFUNCTION, CURLOPT_HEADERFUNCTION and CURLOPT_READFUNCTION.
CURLcode kettle_easy_set_data_function(
    CURL *easy, CURLoption option, curl_write_callback value);
CURLcode kettle_easy_set_prereq_function(CURL *easy, curl_prereq_callback value);
CURLcode kettle_easy_set_debug_function(CURL *easy, curl_debug_callback value);
CURLcode kettle_easy_set_seek_function(CURL *easy, curl_seek_callback value);
CURLcode kettle_easy_set_progress_function(CURL *easy, curl_xferinfo_callback value);
CURLcode kettle_easy_set_socket_function(CURL *easy, curl_sockopt_callback value);
CURLcode kettle_easy_set_open_socket_function(CURL *easy, curl_opensocket_callback value);
CURLcode kettle_easy_set_tls_function(CURL *easy, curl_ssl_ctx_callback value);
/// Also for CURLOPT_SSH_KEYDATA.
CURLcode kettle_easy_set_ssh_key_function(CURL *easy, curl_sshkeycallback value);
/// Refuses every scheme except http and https, including any that a later libcurl may add.
CURLcode kettle_easy_allow_http_only(CURL *easy);
/// The same for one scheme of a server of files: ftp, ftps or sftp.
CURLcode kettle_easy_allow_only(CURL *easy, const char *scheme);
/// Sets CURLOPT_QUICK_EXIT where libcurl has it (7.87.0).
CURLcode kettle_easy_leave_lookups_behind(CURL *easy);

// MARK: curl_easy_getinfo

CURLcode kettle_easy_get_long(CURL *easy, CURLINFO info, long *value);
CURLcode kettle_easy_get_off(CURL *easy, CURLINFO info, curl_off_t *value);
/// The text belongs to the easy handle.
CURLcode kettle_easy_get_text(CURL *easy, CURLINFO info, const char **value);
CURLcode kettle_easy_get_pointer(CURL *easy, CURLINFO info, void **value);

// MARK: curl_multi_setopt

CURLMcode kettle_multi_set_long(CURLM *multi, CURLMoption option, long value);
CURLMcode kettle_multi_set_pointer(CURLM *multi, CURLMoption option, void *value);

// MARK: Constants

static const long kettle_auth_basic = (long)CURLAUTH_BASIC;
static const long kettle_auth_digest = (long)CURLAUTH_DIGEST;
static const long kettle_auth_ntlm = (long)CURLAUTH_NTLM;
static const long kettle_auth_negotiate = (long)CURLAUTH_NEGOTIATE;
static const long kettle_http_1_1 = (long)CURL_HTTP_VERSION_1_1;
static const long kettle_http_2_over_tls = (long)CURL_HTTP_VERSION_2TLS;
static const long kettle_http_2 = (long)CURL_HTTP_VERSION_2_0;
static const long kettle_http_1_0 = (long)CURL_HTTP_VERSION_1_0;
static const long kettle_tls_1_2_or_newer = (long)CURL_SSLVERSION_TLSv1_2;
static const long kettle_tls_1_3_at_most = (long)CURL_SSLVERSION_MAX_TLSv1_3;
static const long kettle_netrc_ignored = (long)CURL_NETRC_IGNORED;
static const long kettle_netrc_optional = (long)CURL_NETRC_OPTIONAL;
static const long kettle_global_all = (long)CURL_GLOBAL_ALL;
static const size_t kettle_write_pause = (size_t)CURL_WRITEFUNC_PAUSE;
static const size_t kettle_read_abort = (size_t)CURL_READFUNC_ABORT;
static const size_t kettle_error_size = (size_t)CURL_ERROR_SIZE;
static const long kettle_tls_required = (long)CURLUSESSL_ALL;
static const long kettle_ssh_with_keys = (long)(CURLSSH_AUTH_PUBLICKEY | CURLSSH_AUTH_AGENT);
static const long kettle_ssh_with_password =
    (long)(CURLSSH_AUTH_PASSWORD | CURLSSH_AUTH_KEYBOARD);
static const int kettle_ssh_key_fine = CURLKHSTAT_FINE;
static const int kettle_ssh_key_refused = CURLKHSTAT_REJECT;
static const int kettle_prereq_ok = CURL_PREREQFUNC_OK;
static const int kettle_prereq_abort = CURL_PREREQFUNC_ABORT;

/// The file of trusted certificates that this libcurl was built with; NULL without one.
static inline const char *kettle_built_in_ca_file(void) {
  return curl_version_info(CURLVERSION_NOW)->cainfo;
}

static inline const char *kettle_built_in_ca_directory(void) {
  return curl_version_info(CURLVERSION_NOW)->capath;
}

/// The protocols that this libcurl was built with, up to a NULL.
static inline const char *const *kettle_protocols(void) {
  return curl_version_info(CURLVERSION_NOW)->protocols;
}

/// The TLS library in use, such as "OpenSSL/3.0.19"; NULL without one.
static inline const char *kettle_tls_library(void) {
  return curl_version_info(CURLVERSION_NOW)->ssl_version;
}

#endif
