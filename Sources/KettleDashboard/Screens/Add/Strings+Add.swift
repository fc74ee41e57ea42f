import KettleCollections
import KettleModel

/// The add form.
extension Strings {
  static let addTitle = "Add"
  static let nothingToAdd = "No URL yet; type or paste one"
  static let tooManyLines =
    "The text is too long for this dialog; save it to a file and use kettle add -i FILE"
  static let oneLineOnly = "Only one line fits here; paste less"
  static let nothingElse = "there is no other choice here"
  static let beingAdded =
    "The transfers are being added; Esc closes the form and they are added "
    + "anyway"
  static let draftKept = "what you typed is kept; {add} shows it again"
  static let adding = "Adding…"
  static let isPaused = "yes"
  static let isNotPaused = "no"

  static func rejectedInput(by field: AddField) -> String {
    switch field {
    case .urls: tooManyLines
    case .paused: "Press y, n or Space"
    case .directory, .name, .title, .queue, .limit, .start, .then, .checksum, .headers, .login:
      oneLineOnly
    }
  }

  static func label(_ field: AddField) -> String {
    switch field {
    case .urls: "URLs"
    case .directory: "Directory"
    case .name: "Name"
    case .title: "Title"
    case .queue: "Queue"
    case .limit: "Limit"
    case .start: "Start"
    case .then: "Then run"
    case .checksum: "Checksum"
    case .headers: "Headers"
    case .login: "Login"
    case .paused: "Paused"
    }
  }

  /// The meaning of an empty field, and what can be typed into it.
  static func placeholder(_ field: AddField) -> String {
    switch field {
    case .urls: "(one per line, or a curl command; Ctrl-J starts a new line)"
    case .directory: "(the downloads directory)"
    case .name: "(the server's file name)"
    case .title: "(the file name)"
    case .queue: "(default; night, or night 01:00-06:00 to make it)"
    case .limit: "(none; 500K, 1.5 MiB/s)"
    case .start: "(now; +90m, 2026-12-24T18:00)"
    case .then: "(nothing; a program, such as unzip -o {path})"
    case .checksum: "(none; sha256:HEX, sha512:, sha1:, md5:)"
    case .headers: "(none; Name: value; Name: value)"
    case .login: "(none; user:password)"
    case .paused: ""
    }
  }

  static func sentence(_ problem: AddFieldProblem) -> String {
    switch problem {
    case .directoryUnknown(let path):
      "Cannot resolve \"\(path.sanitizedForDisplay(limit: 60))\"; write an absolute path"
    case .nameUnusable:
      "Not a valid file name; use no slash and at most "
        + "\(FileName.byteCountMax) bytes"
    case .nameForSeveral(let count):
      "One name cannot apply to \(count) URLs; leave it empty, or add them one by one"
    case .titleUnusable: "A title has no control characters; type it again"
    case .titleForSeveral(let count):
      "One title cannot apply to \(count) URLs; leave it empty, or add them one by one"
    case .queueUnusable:
      "A queue is a name of letters, digits, - and _, with hours to make it: night 01:00-06:00"
    case .hookQuote: "A quote in the command is not closed"
    case .hook(let problem): sentence(problem)
    case .checksumUnusable:
      "Not a valid checksum; write sha256: and 64 hexadecimal digits, or md5:, sha1:, sha512:"
    case .checksumForSeveral(let count):
      "One checksum cannot apply to \(count) URLs; leave it empty, or add them one by one"
    case .limitUnusable: invalidRate
    case .header(let text):
      "\"\(text.sanitizedForDisplay(limit: 40))\" is not a header; write Name: value"
    case .loginUnusable: "Write the login as user:password"
    case .startUnusable:
      "Not a valid time; write +90m, +2h, +1d, 2026-12-24T18:00 or 2026-12-24T18:00:00Z"
    }
  }

  private static func sentence(_ problem: HookCommand.Problem) -> String {
    switch problem {
    case .empty: "Write a program and its arguments, such as unzip -o {path}"
    case .tooLong: "The command is too long; write it into a script and give the script"
    case .notText: "The command contains a NUL; leave it out"
    case .relativeProgram: "The program has a relative path; write an absolute one"
    case .placeholderForShell:
      "A shell would execute what stands for a placeholder; use \"$KETTLE_PATH\" there"
    }
  }

  /// What the user needs to know about a setting; nil if its placeholder says everything.
  static func hint(on field: AddField, of form: AddForm) -> String? {
    switch field {
    case .limit: "K and KiB are 1024 bytes, KB is 1000; the same for M and G"
    case .queue: "A queue with its own hours; name it with hours to make it"
    case .then:
      form.textForShell.map {
        "No shell reads this, so the program gets \(shown($0)) as it is; "
          + "write sh -c '...' for that"
      } ?? "Starts when the file is done, without a shell; {path} and {title} are filled in"
    case .urls, .directory, .name, .title, .start, .checksum, .headers, .login, .paused: nil
    }
  }

  static let optionsLabel = "Options"

  /// What a line adds that is more than a file.
  static func collection(_ source: CollectionSource) -> String {
    let what =
      switch source.kind {
      case .hub: "a repository of Hugging Face"
      case .index, .directory, .webDAV: "a directory"
      case .checksums, .lines, .metalink: "a list"
      case .archive: "an item of archive.org"
      case .zenodo: "a record of Zenodo"
      case .figshare: "an article of figshare"
      case .dataverse: "a dataset of Dataverse"
      case .bucket: "the objects of a bucket"
      }
    return "All files of \(what), as one row"
  }

  /// The settings that a folded form does not show.
  static func options(_ hidden: [AddField], key: String?) -> String {
    let names = hidden.map { label($0).lowercased() }
    return (key.map { $0 + ": " } ?? "") + names.joined(separator: ", ")
  }

  static func sentence(_ problem: URLLines.Problem, on text: String) -> String {
    switch problem {
    case .url(let problem): problem.sentence(text)
    case .command(let problem): sentence(problem)
    case .collection(let problem): "This names no files: " + problem.words
    }
  }

  /// A few words beside the line.
  static func brief(_ problem: URLLines.Problem) -> String {
    switch problem {
    case .url(let problem): brief(problem)
    case .command(let problem): brief(problem)
    case .collection: "names no files"
    }
  }

  private static func brief(_ problem: TransferURLProblem) -> String {
    switch problem {
    case .empty: "empty"
    case .tooLong: "too long"
    case .controlCharacter: "control character"
    case .characterForbidden(" "): "contains a space"
    case .characterForbidden(let character): "contains \(character)"
    case .schemeMissing: "https:// is missing"
    case .schemeUnsupported: "unknown scheme"
    case .hostMissing: "no host"
    case .hostMalformed: "invalid host"
    case .portMalformed: "invalid port"
    case .loginMalformed: "invalid login"
    case .directory: "a directory"
    }
  }

  static let repeated = "also on another line"

  static func inList(_ found: DuplicateSearch.Found) -> String {
    "already in the list as \(found.id) (\(countWord(found.state)))"
  }

  /// What Enter would do, or why it would do nothing.
  static func summary(_ screen: AddScreen) -> String {
    if screen.phase == .adding { return adding }
    let urls = screen.form.urls
    let (good, bad) = (urls.goodCount, urls.problemCount)
    guard good + bad > 0 else { return "" }
    var parts = [good + bad == 1 ? "1 URL" : "\(good + bad) URLs"]
    if bad > 0 { parts.append("\(bad) invalid") }
    if urls.repeatedCount > 0 { parts.append("\(urls.repeatedCount) repeated") }
    let known = knownCount(screen)
    if known > 0 { parts.append("\(known) already in the list") }
    let what = parts.joined(separator: ", ")
    if good == 0 { return what }
    if bad > 0 { return what + "; Enter adds the valid " + (good == 1 ? "one" : "ones") }
    return what + (good == 1 ? "; Enter adds it" : "; Enter adds them")
  }

  static func added(_ count: Int, invalidCount: Int) -> String {
    added(count) + "; "
      + (invalidCount == 1 ? "the invalid line is" : "the \(invalidCount) invalid lines are")
      + " left"
  }

  /// Returns a warning before something is downloaded twice; nil when nothing would be.
  static func warning(about screen: AddScreen) -> String? {
    let (known, repeated) = (knownCount(screen), screen.form.urls.repeatedCount)
    if known > 0 {
      return (known == 1 ? "1 is already in the list" : "\(known) are already in the list")
        + "; press Enter again to add anyway"
    }
    if repeated > 0 {
      return (repeated == 1 ? "1 is repeated" : "\(repeated) are repeated")
        + "; press Enter again to add anyway"
    }
    return nil
  }

  private static func knownCount(_ screen: AddScreen) -> Int {
    screen.duplicates.found.keys.reduce(0) { $0 + screen.form.urls.count(of: $1) }
  }

  static func command(_ command: CurlCommandLine) -> String {
    let url = command.url.url.text.sanitizedForDisplay(limit: 200)
    guard !command.headers.isEmpty else { return url }
    let count = command.headers.count
    return (count == 1 ? "with 1 header: " : "with \(count) headers: ") + url
  }
}

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
