import KettleModel

/// The values that a key accepts, and how they are read and written.
struct ValueKind<Value: Hashable & Sendable>: Sendable {
  /// Describes the accepted values.
  var expectation: String
  /// The words that are accepted; empty if others are too.
  var words: [String] = []
  /// Whether the error for unquoted text asks for quotes.
  var asksForQuotes = false
  /// Returns nil for a value that is not accepted.
  var read: @Sendable (TOMLEntry) -> Value?
  /// Returns the value as documentation shows it; nil if it is not shown.
  var written: @Sendable (Value) -> String? = { _ in nil }

  /// The same for a property that may have no value.
  var optional: ValueKind<Value?> {
    ValueKind<Value?>(
      expectation: expectation, words: words, asksForQuotes: asksForQuotes,
      read: { read($0).map(Optional.some) }, written: { $0.flatMap(written) })
  }

  func asking(forQuotes asksForQuotes: Bool) -> Self {
    var kind = self
    kind.asksForQuotes = asksForQuotes
    return kind
  }

  /// A text without control characters.
  static func text(
    _ expectation: String, _ parse: @escaping @Sendable (String) -> Value?
  ) -> Self {
    Self(expectation: expectation, asksForQuotes: true) { $0.value.plainText.flatMap(parse) }
  }

  /// A text without control characters, or an array of one or more such texts.
  static func oneOrMore<Element>(
    _ expectation: String, _ parse: @escaping @Sendable (String) -> Element?
  ) -> Self where Value == [Element] {
    Self(expectation: expectation, asksForQuotes: true) { entry in
      let array = entry.value.text == nil ? entry.value : .array([entry.value])
      let elements = array.elements { $0.plainText.flatMap(parse) }
      return elements?.isEmpty == false ? elements : nil
    }
  }
}

extension TOMLValue {
  var text: String? { if case .string(let text) = self { text } else { nil } }

  /// The text if it has no control characters.
  var plainText: String? {
    text.flatMap { $0.unicodeScalars.contains(where: \.isControl) ? nil : $0 }
  }

  /// Returns the parsed elements of an array; nil if this is no array or an element is invalid.
  func elements<Element>(_ parse: (TOMLValue) -> Element?) -> [Element]? {
    guard case .array(let values) = self else { return nil }
    var elements: [Element] = []
    for value in values {
      guard let element = parse(value) else { return nil }
      elements.append(element)
    }
    return elements
  }
}

extension ValueKind where Value == Bool {
  static var boolean: Self {
    Self(
      expectation: "true or false", words: ["true", "false"],
      read: { if case .boolean(let isOn) = $0.value { isOn } else { nil } },
      written: { "\($0)" })
  }
}

extension ValueKind where Value == Int {
  /// A whole number.
  static func count(_ range: ClosedRange<Int>, _ expectation: String? = nil) -> Self {
    Self(
      expectation: expectation
        ?? "a whole number from \(range.lowerBound) to \(range.upperBound)",
      read: { entry in
        guard case .integer(let number) = entry.value else { return nil }
        return Int(exactly: number).flatMap { range.contains($0) ? $0 : nil }
      },
      written: { "\($0)" })
  }

  static var seconds: Self {
    let most = TransferOptions.secondsMax
    return .count(1...most, "a whole number of seconds from 1 to \(most)")
  }

  static var attempts: Self {
    let most = TransferOptions.attemptsCountMax
    return .count(0...most, "a whole number from 0 (no limit) to \(most)")
  }
}

extension ValueKind where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
  /// One of the words of an enum.
  static var word: Self {
    let words = Value.allCases.map(\.rawValue)
    let quoted = words.map { "\"\($0)\"" }
    return Self(
      expectation: quoted.dropLast().joined(separator: ", ") + " or " + (quoted.last ?? ""),
      words: words, asksForQuotes: true,
      read: { $0.value.text.flatMap(Value.init(rawValue:)) }, written: { "\"\($0.rawValue)\"" })
  }
}

extension ValueKind where Value == String {
  static var path: Self {
    .text("a path in quotes that begins with \"/\" or \"~/\"") { beginsPath($0) ? $0 : nil }
  }

  /// A directory, which may be relative, or a prefix of a bucket.
  static var directory: Self {
    .text(
      "a path in quotes that begins with \"/\" or \"~/\", or is relative to the downloads "
        + "directory, or \"s3://BUCKET/PREFIX\""
    ) { path in
      if ObjectPrefix.isMeant(by: path) { return ObjectPrefix(path)?.text }
      let isUsable =
        (1...4096).contains(path.utf8.count) && !path.split(separator: "/").contains("..")
        && (!path.hasPrefix("~") || path.hasPrefix("~/"))
      return isUsable ? path : nil
    }
  }

  static var region: Self {
    .text("the name of a region in quotes, such as \"eu-west-1\"") {
      ObjectStoreAccess.isRegion($0) ? $0 : nil
    }
  }

  static var profile: Self {
    .text("the name of a profile in quotes") { (1...256).contains($0.utf8.count) ? $0 : nil }
  }

  static var title: Self {
    .text("a text in quotes, in which {name} and {host} have a meaning") {
      (1...1000).contains($0.utf8.count) ? $0 : nil
    }
  }

  /// A text that can be the value of a header.
  static var userAgent: Self {
    Self(expectation: "a text in quotes", asksForQuotes: true) { entry in
      entry.value.text.flatMap { text in
        let isUsable =
          (1...1000).contains(text.utf8.count)
          && HeaderField(name: "User-Agent", value: text) != nil
        return isUsable ? text : nil
      }
    }
  }

  static func beginsPath(_ text: String) -> Bool { text.hasPrefix("/") || text.hasPrefix("~/") }
}

extension ValueKind where Value == [String] {
  /// An array of texts without control characters.
  private static func texts(
    _ expectation: String, where isUsable: @escaping @Sendable (String) -> Bool
  ) -> Self {
    Self(expectation: expectation) { entry in
      entry.value.elements { $0.plainText.flatMap { isUsable($0) ? $0 : nil } }
    }
  }

  static var paths: Self {
    .texts("an array of paths in quotes that begin with \"/\" or \"~/\"") {
      ValueKind<String>.beginsPath($0)
    }
  }

  /// libcurl expects one text with commas between the hosts (CURLOPT_NOPROXY).
  static var hosts: Self {
    .texts("an array of host names in quotes") { host in
      !host.isEmpty && !host.contains { $0 == "," || $0 == " " }
    }
  }

  /// Origins of pages.
  static var origins: Self {
    .texts("an array of origins in quotes, such as \"https://ariang.example.org\"") {
      $0 == "*" || $0 == "null" || $0.contains("://") && !$0.hasSuffix("/")
    }
  }

  /// The host names of a rule.
  static var ruleHosts: Self {
    .oneOrMore("the name of a host in quotes, or an array of them") {
      HostName.isUsable($0) ? HostName.plain($0) : nil
    }
  }

  static var fileExtensions: Self {
    .oneOrMore("a file name extension in quotes and without its dot, or an array of them") {
      let isUsable = !$0.isEmpty && !$0.hasPrefix(".") && !$0.contains { "/* ".contains($0) }
      return isUsable ? $0.lowercased() : nil
    }
  }
}

extension ValueKind where Value == Int64 {
  /// A time in milliseconds, at least an hour.
  static var period: Self {
    Self(
      expectation: "a time in quotes of at least an hour, such as \"12h\" or \"30d\"",
      asksForQuotes: true
    ) { entry in
      entry.value.text.flatMap(TimeText.milliseconds).flatMap { $0 >= 3_600_000 ? $0 : nil }
    }
  }
}

extension ValueKind where Value == Int64? {
  /// A rate, or none.
  static var rate: Self {
    Self(
      expectation: "a rate in quotes, such as \"500K\", \"1.5M\" or \"none\"", asksForQuotes: true
    ) { entry in
      entry.value.text.flatMap {
        $0 == RateText.none ? .some(nil) : RateText.parse($0).map(Optional.some)
      }
    }
  }
}

extension ValueKind where Value == TransferURL {
  static var endpoint: Self {
    .text("a URL in quotes that begins with http:// or https://") {
      ObjectStoreAccess.endpoint($0)
    }
  }
}

extension ValueKind where Value == ServiceConfiguration.ScheduledLimit.Rate {
  static var rate: Self {
    let rate = ValueKind<Int64?>.rate
    return Self(expectation: rate.expectation) { entry in
      rate.read(entry).map { $0.map(Value.bytesPerSecond) ?? .unlimited }
    }
  }
}

extension ValueKind where Value == QueueName {
  static var queueInFile: Self {
    .text("the name in quotes of a queue that the file has") { QueueName($0) }
  }
}

extension ValueKind where Value == WeeklyHours {
  static var hours: Self {
    Self(expectation: "hours in quotes, such as \"01:00-06:00\" or \"22:00-24:00\"") {
      $0.value.text.flatMap { WeeklyHours($0) }
    }
  }
}

extension ValueKind where Value == Set<WeeklyHours.Weekday> {
  static var days: Self {
    let days = WeeklyHours.Weekday.allCases.map { "\"\($0.rawValue)\"" }
    return Self(expectation: "an array of days in quotes: " + days.joined(separator: ", ")) {
      $0.value.elements { $0.text.flatMap { WeeklyHours.Weekday(rawValue: $0.lowercased()) } }
        .map(Set.init)
    }
  }
}

extension ValueKind where Value == ServiceConfiguration.Proxy {
  /// A proxy that names its scheme.
  static var proxy: Self {
    Self(
      expectation:
        "a URL in quotes that begins with http://, https://, socks4://, socks4a://, socks5:// "
        + "or socks5h://",
      asksForQuotes: true
    ) { entry in
      guard let text = entry.value.text, text.contains("://"), ProxyServer(text) != nil else {
        return nil
      }
      return .through(text)
    }
  }

  /// A proxy for a host, or none.
  static var hostProxy: Self {
    Self(expectation: "\"none\", or " + proxy.expectation) { entry in
      entry.value == .string("none") ? Value.none : proxy.read(entry)
    }
  }
}

extension ValueKind where Value == [Origin] {
  static func origins(of host: String) -> Self {
    Self(
      expectation:
        "an array of origins of that host in quotes, such as \"https://example.org:8443\""
    ) { entry in
      let origins = entry.value.elements { $0.text.flatMap { origin($0, of: host) } }
      return origins?.isEmpty == false ? origins : nil
    }
  }

  private static func origin(_ text: String, of host: String) -> Origin? {
    guard case .success(let parsed) = TransferURL.parse(text), parsed.url.path == "/",
      parsed.url.query == nil, parsed.login == nil, parsed.url.scheme.family == .http,
      HostName.isHost(parsed.url.host, atOrBelow: host)
    else { return nil }
    return parsed.url.origin
  }
}

extension ValueKind where Value == HookCommand {
  static var program: Self {
    Self(
      expectation:
        "an array of texts in quotes, the program first: a name, or a path that begins with \"/\" "
        + "or \"~/\"; the text that a shell executes must not have placeholders"
    ) { entry in
      entry.value.elements(\.plainText).flatMap { try? HookCommand.make($0).get() }
    }
  }
}

extension ValueKind where Value == DashboardConfiguration.ThemeName {
  static var themeName: Self {
    Self(expectation: "the name of a theme in quotes: letters, digits, \"-\" and \"_\"") { entry in
      guard let name = entry.value.text, Value.isFileName(name) else { return nil }
      return Value(name: name, line: entry.line)
    }
  }
}
