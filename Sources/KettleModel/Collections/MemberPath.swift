/// The place of a file below the directory of its collection.
///
/// Invariant: it never leads out of the directory. Each component is a foreign `FileName`, so no
/// list can create `../x`, `/etc/x` or `.bashrc`.
public struct MemberPath: Hashable, Sendable {
  /// The directories, and the name of the file last, with slashes between them.
  public let text: String

  public static let depthMax = 64
  public static let byteCountMax = 2048

  /// Makes a path of components from outside. Returns nil if one of them leads up, if nothing is
  /// left of one, or if the path is too deep or too long.
  public init?(foreign components: some Sequence<String>) {
    var names: [String] = []
    for component in components where !component.isEmpty && component != "." {
      guard component != "..", let name = FileName(foreign: component) else { return nil }
      names.append(name.text)
    }
    let byteCount = names.reduce(names.count) { $0 + $1.utf8.count }
    guard (1...Self.depthMax).contains(names.count), byteCount <= Self.byteCountMax else {
      return nil
    }
    text = names.joined(separator: "/")
  }

  /// Makes a path of text from outside, whose components are separated by slashes. Returns nil for
  /// an absolute path as well.
  public init?(foreign text: String) {
    guard text.utf8.first != UInt8(ascii: "/") else { return nil }
    if Self.isPlain(text.utf8.span) {
      self.init(plain: text)
    } else {
      self.init(foreign: Self.components(of: text))
    }
  }

  private init(plain text: String) { self.text = text }

  /// Whether a path is safe as it is, as nearly all are.
  private static func isPlain(_ text: Span<UInt8>) -> Bool {
    guard text.count < byteCountMax else { return false }
    var (start, depth) = (0, 1)
    for index in text.indices where text[index] == UInt8(ascii: "/") {
      guard FileName.isPlain(text.extracting(start..<index)) else { return false }
      (start, depth) = (index + 1, depth + 1)
    }
    return depth <= depthMax && FileName.isPlain(text.extracting(start..<text.count))
  }

  /// Bytes are compared, because to `Character` a combining mark hides the slash before it.
  private static func components(of text: String) -> [String] {
    text.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
  }

  public var components: [String] { Self.components(of: text) }
  public var name: String { components.last ?? "" }
  public var directories: ArraySlice<String> { components.dropLast() }

  /// Returns the path from a directory above the file.
  package func from(_ directory: String) -> MemberPath {
    let names = components.dropFirst(Self.components(of: directory).count)
    return MemberPath(plain: names.isEmpty ? name : names.joined(separator: "/"))
  }

  /// What two paths share that are one file on a file system that folds case.
  package var folded: String { text.lowercased() }

  /// The path of another file beside it: `a (2).txt`.
  package func numbered(_ number: Int) -> MemberPath? {
    let (stem, suffix) = FileName.parts(of: name)
    return MemberPath(foreign: directories + ["\(stem) (\(number))\(suffix)"])
  }
}

extension MemberPath: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let path = MemberPath(foreign: try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a path")
    }
    self = path
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}
