import CKettleCurl

/// The shared libraries that this target calls: libcurl, and OpenSSL below it.
package enum NetworkLibraries {
  /// Why they cannot be used, as text of the dynamic loader (dlerror(3)).
  package struct Problem: Error, Equatable {
    package let detail: String

    package init(detail: String) { self.detail = detail }
  }

  /// Loads the libraries, so that starting the service reports a missing one. Otherwise the first
  /// call loads them and ends the process on failure.
  package static func load() throws(Problem) {
    if let problem = kettle_curl_problem() { throw Problem(detail: String(cString: problem)) }
  }
}
