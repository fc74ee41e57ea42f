/// Why a curl command line cannot be converted to a download.
package enum CurlProblem: Error, Hashable, Sendable {
  case noURL
  case severalURLs(count: Int)
  case url(String, TransferURLProblem)
  /// The option makes it a request with a body, not a download.
  case sendsData(option: String)
  case method(String)
  case headersOnly(option: String)
  /// Certificates are always checked.
  case insecure(option: String)
  /// The service chooses the proxy.
  case proxy(option: String)
  /// An option of curl that Kettle does not support.
  case unsupportedOption(String)
  case unknownOption(String)
  case valueMissing(option: String)
  case valueUnusable(option: String)
  /// `-b NAME` and `-H @NAME` read a file.
  case valueFromFile(option: String)
  case unclosedQuote
  /// Only a shell can expand this.
  case needsShell(String)
}
