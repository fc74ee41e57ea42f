import CKettleCurl

/// The shared libraries that all of this target calls: libcurl, and below it OpenSSL.
package enum NetworkLibraries {
  /// Why they cannot be used, in the words of the dynamic loader (dlerror(3)).
  package struct Problem: Error, Equatable {
    package let detail: String

    package init(detail: String) { self.detail = detail }
  }

  /// Loads them, so that what is missing is said by who starts the service. Without this they are
  /// loaded by the first call, which ends the process when it cannot.
  package static func load() throws(Problem) {
    if let problem = kettle_curl_problem() { throw Problem(detail: String(cString: problem)) }
  }
}
