/// What is wrong with a file that cannot be written, as far as the detail of the failure says.
///
/// Example: with the detail `EFBIG`, `FileTrouble(detail:)` is `fileTooLarge`, and its remedy is
/// another directory, not a check of the disk.
public enum FileTrouble: Hashable, Sendable {
  case nameTooLong, nameRefused, fileTooLarge, unknown

  /// The detail of a file that is larger than the file system or the process permits.
  public static let tooLarge = "EFBIG"

  private static let refusal = " for this name"

  /// The detail of a file whose name the file system refused with this error.
  public static func detail(refusing errorName: String) -> String { errorName + refusal }

  /// - Parameter detail: of a failure `fileProblem`.
  public init(detail: String?) {
    switch detail {
    case "ENAMETOOLONG": self = .nameTooLong
    case Self.tooLarge: self = .fileTooLarge
    case let detail?: self = detail.hasSuffix(Self.refusal) ? .nameRefused : .unknown
    case nil: self = .unknown
    }
  }

  var remedy: String {
    switch self {
    case .nameTooLong: "its file system allows shorter names only, so choose one with -o"
    case .nameRefused:
      "its file system forbids a character of the name, so choose another with -o"
    case .fileTooLarge:
      "its file system, or a limit of the service (ulimit -f), allows no file that large, so "
        + "choose another directory with -d"
    case .unknown: "check the disk, then start it again"
    }
  }
}
