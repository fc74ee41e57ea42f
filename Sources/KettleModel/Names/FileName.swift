/// The name of a file: one path component that can be created beside the user's files.
///
/// Invariant: there are two ways to a name, and none around them. What the user has typed is taken
/// as it is or refused (`init(typed:)`). What anyone else has chosen (a header, a document, a web
/// page, a program of a page, a URL) is made harmless (`init(foreign:)`). So no document can create
/// `.bash_aliases`, `-rf` or `~`, and a foreign name is unchanged when it passes through
/// `init(foreign:)` again. Neither kind is empty, means a directory, has a slash or a control
/// character, or is longer than `byteCountMax`.
public struct FileName: Hashable, Sendable {
  public let text: String
  public let origin: Origin

  public enum Origin: String, Sendable {
    case user
    case foreign
  }

  /// Takes a name from the user unchanged. A leading dot or dash is the user's own choice.
  public init(typed text: String) throws(FileNameProblem) {
    if let problem = Self.problem(ofUserGiven: text) { throw problem }
    self.text = text
    origin = .user
  }

  /// Makes a name of text from outside; returns nil when nothing of it is left.
  public init?(foreign text: String) {
    guard let name = Self.sanitized(text) else { return nil }
    self.text = name
    origin = .foreign
  }

  /// Restores a name from a record. One that others have written there is not believed to be the
  /// user's: nil when nothing of it is left.
  public init?(recorded text: String, _ origin: Origin) {
    if origin == .user, let name = try? FileName(typed: text) {
      self = name
    } else {
      self.init(foreign: text)
    }
  }
}

extension FileName {
  /// NAME_MAX of the Linux file systems.
  package static let componentByteCountMax = 255

  /// The suffix of partial files.
  package static let partialSuffix = ".part"

  /// The longest name for which a partial file can be created.
  package static let byteCountMax = componentByteCountMax - partialSuffix.utf8.count

  /// The largest number that `numbered` receives.
  package static let numberMax = 9999

  /// The length to which a foreign name is cut, so that any number fits after it.
  package static let sanitizedByteCountMax = byteCountMax - " (\(numberMax))".utf8.count
}

extension FileName: Codable {
  private enum CodingKeys: String, CodingKey {
    case foreign
  }

  /// A name of the user is a string, one from outside is the object `{"foreign": NAME}`.
  public init(from decoder: any Decoder) throws {
    if let container = try? decoder.container(keyedBy: CodingKeys.self) {
      let text = try container.decode(String.self, forKey: .foreign)
      guard let name = FileName(foreign: text) else {
        throw DecodingError.dataCorrupted(
          DecodingError.Context(
            codingPath: container.codingPath, debugDescription: "nothing of the name is left",
            underlyingError: FileNameProblem.empty))
      }
      self = name
      return
    }
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    do throws(FileNameProblem) {
      try self.init(typed: text)
    } catch {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: container.codingPath, debugDescription: error.sentence(text),
          underlyingError: error))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    switch origin {
    case .user:
      var container = encoder.singleValueContainer()
      try container.encode(text)
    case .foreign:
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(text, forKey: .foreign)
    }
  }
}
