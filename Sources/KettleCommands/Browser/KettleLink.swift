import KettleModel

/// A link `kettle://add?url=URL&title=TITLE`, as any web page may contain it.
struct KettleLink: Hashable, Sendable {
  enum Problem: Error, Hashable, Sendable {
    /// It does not begin with `kettle://add?`.
    case notAdd
    /// A parameter other than `url` and `title`, or one of them twice.
    case parameter(String)
    case escape
    case noURL
    case url(String, TransferURLProblem)
  }

  var source: TransferURL.Parsed
  /// Displayed in place of the file name.
  var title: String?

  static let byteCountMax = 32 * 1024
  private static let titleCharacterCountMax = 200

  /// - Parameter text: Comes from outside; only two parameters are understood.
  init(_ text: String) throws(Problem) {
    guard text.utf8.count <= Self.byteCountMax else { throw .notAdd }
    let prefixes = ["kettle://add?", "kettle://add/?"]
    guard let prefix = prefixes.first(where: { text.lowercased().hasPrefix($0) }) else {
      throw .notAdd
    }
    let query = text.utf8.dropFirst(prefix.utf8.count).prefix { $0 != UInt8(ascii: "#") }
    var values: [String: String] = [:]
    for part in query.split(separator: UInt8(ascii: "&")) {
      let name = String(decoding: part.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self)
      guard ["url", "title"].contains(name), values[name] == nil else { throw .parameter(name) }
      guard let bytes = PercentEncoding.decoded(part.dropFirst(name.utf8.count + 1)),
        let value = String(validating: bytes, as: UTF8.self)
      else { throw .escape }
      values[name] = value
    }
    guard let url = values["url"], !url.isEmpty else { throw .noURL }
    switch TransferURL.parse(url) {
    case .success(let parsed): source = parsed
    case .failure(let problem): throw .url(url, problem)
    }
    let title = values["title"]?.trimmingBlanks() ?? ""
    self.title =
      title.isEmpty ? nil : title.sanitizedForDisplay(limit: Self.titleCharacterCountMax)
  }

  /// The paused transfer that it asks for.
  var spec: TransferSpec {
    var spec = TransferSpec(url: source.url)
    spec.login = source.login
    spec.title = title
    spec.beginning = .paused
    return spec
  }
}
