import KettleModel

/// Problems with a curl command line.
extension Strings {
  static func sentence(_ problem: CurlProblem) -> String {
    switch problem {
    case .noURL: "The curl command names no URL"
    case .severalURLs(let count):
      "The curl command names \(count) URLs; write each into a line of its own"
    case .url(let text, let problem): problem.sentence(text)
    case .sendsData(let option):
      "\(shown(option)) sends data: that is no download, and Kettle only downloads here"
    case .method(let method): "Its method is \(shown(method)); a download is a GET"
    case .headersOnly(let option): "\(shown(option)) fetches the headers only; leave it out"
    case .insecure(let option):
      "\(shown(option)) would trust any server; leave it out, or give kettle add the authority "
        + "with --ca-certificate"
    case .proxy(let option):
      "\(shown(option)): the proxy is set for the whole service, in config.toml; leave it out"
    case .unsupportedOption(let option):
      "\(shown(option)) has nothing here that does the same; leave it out if it can be spared"
    case .unknownOption(let option): "\(shown(option)) is not known here; leave it out"
    case .valueMissing(let option): "\(shown(option)) needs a value behind it"
    case .valueUnusable(let option): "What stands behind \(shown(option)) cannot be used"
    case .valueFromFile(let option):
      "\(shown(option)) takes it from a file; write what stands in the file instead"
    case .unclosedQuote: "A quote in the curl command is not closed; copy all of it"
    case .needsShell(let text):
      "Only a shell knows what \(shown(text)) is; put what it stands for in its place"
    }
  }

  static func brief(_ problem: CurlProblem) -> String {
    switch problem {
    case .noURL: "names no URL"
    case .severalURLs: "several URLs"
    case .url: "no usable URL"
    case .sendsData: "sends data"
    case .method(let method): shown(method)
    case .headersOnly, .insecure, .proxy, .unsupportedOption, .unknownOption, .valueMissing,
      .valueUnusable, .valueFromFile:
      option(of: problem)
    case .unclosedQuote: "quote not closed"
    case .needsShell: "needs a shell"
    }
  }

  private static func option(of problem: CurlProblem) -> String {
    switch problem {
    case .headersOnly(let option), .insecure(let option), .proxy(let option),
      .unsupportedOption(let option):
      shown(option) + " not possible"
    case .unknownOption(let option): shown(option) + " not known"
    case .valueMissing(let option), .valueUnusable(let option), .valueFromFile(let option):
      shown(option) + " not usable"
    case .noURL, .severalURLs, .url, .sendsData, .method, .unclosedQuote, .needsShell: ""
    }
  }

  private static func shown(_ text: String) -> String { text.sanitizedForDisplay(limit: 30) }
}
