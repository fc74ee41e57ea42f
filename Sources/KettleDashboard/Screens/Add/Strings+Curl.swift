import KettleModel

/// Problems with a curl command line.
extension Strings {
  static func sentence(_ problem: CurlProblem) -> String {
    switch problem {
    case .noURL: "The curl command has no URL"
    case .severalURLs(let count):
      "The curl command has \(count) URLs; put each on a line of its own"
    case .url(let text, let problem): problem.sentence(text)
    case .sendsData(let option):
      "\(shown(option)) sends data, but this dialog adds only downloads; leave it out"
    case .method(let method): "The method \(shown(method)) is not supported; a download uses GET"
    case .headersOnly(let option): "\(shown(option)) fetches only the headers; leave it out"
    case .insecure(let option):
      "\(shown(option)) would trust any server; leave it out, or use kettle add --ca-certificate "
        + "FILE"
    case .proxy(let option):
      "\(shown(option)): the proxy is set in config.toml for the whole service; leave it out"
    case .unsupportedOption(let option):
      "\(shown(option)) is not supported; leave it out if it is not essential"
    case .unknownOption(let option): "\(shown(option)) is an unknown option; leave it out"
    case .valueMissing(let option): "\(shown(option)) needs a value"
    case .valueUnusable(let option): "The value of \(shown(option)) is not valid"
    case .valueFromFile(let option):
      "\(shown(option)) reads from a file; write the file's content here instead"
    case .unclosedQuote: "A quote in the curl command is not closed; copy the whole command"
    case .needsShell(let text):
      "\(shown(text)) needs a shell; replace it with its value"
    }
  }

  static func brief(_ problem: CurlProblem) -> String {
    switch problem {
    case .noURL: "no URL"
    case .severalURLs: "several URLs"
    case .url: "invalid URL"
    case .sendsData: "sends data"
    case .method(let method): shown(method)
    case .headersOnly, .insecure, .proxy, .unsupportedOption, .unknownOption, .valueMissing,
      .valueUnusable, .valueFromFile:
      option(of: problem)
    case .unclosedQuote: "unclosed quote"
    case .needsShell: "needs a shell"
    }
  }

  private static func option(of problem: CurlProblem) -> String {
    switch problem {
    case .headersOnly(let option), .insecure(let option), .proxy(let option),
      .unsupportedOption(let option):
      shown(option) + " not supported"
    case .unknownOption(let option): shown(option) + " unknown"
    case .valueMissing(let option), .valueUnusable(let option), .valueFromFile(let option):
      shown(option) + " invalid"
    case .noURL, .severalURLs, .url, .sendsData, .method, .unclosedQuote, .needsShell: ""
    }
  }

  private static func shown(_ text: String) -> String { text.sanitizedForDisplay(limit: 30) }
}
