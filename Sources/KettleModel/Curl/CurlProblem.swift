/// Why a command line for curl cannot be taken over as a download.
package enum CurlProblem: Error, Hashable, Sendable {
  case noURL
  case severalURLs(count: Int)
  case url(String, TransferURLProblem)
  /// The option makes it a request with a body, which is no download.
  case sendsData(option: String)
  case method(String)
  case headersOnly(option: String)
  /// Certificates are always checked.
  case insecure(option: String)
  /// The proxy is the service's to choose.
  case proxy(option: String)
  /// curl has it, and it has no counterpart here.
  case unsupportedOption(String)
  case unknownOption(String)
  case valueMissing(option: String)
  case valueUnusable(option: String)
  /// `-b NAME` and `-H @NAME` read a file.
  case valueFromFile(option: String)
  case unclosedQuote
  /// Only a shell can tell what this stands for.
  case needsShell(String)
}
