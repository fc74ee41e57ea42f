import KettleModel

/// The column `options`: the options of a transfer, and who has chosen the values of its other
/// columns.
struct StoredOptions: Codable {
  private var options: TransferOptions
  private var nameOrigin: FileName.Origin
  private var minimumReach: NetworkReach

  private enum CodingKeys: String, CodingKey {
    /// Set if the name is not the user's.
    case isNameForeign
    /// Set if the URL is not the user's.
    case minimumReach
    /// Set if there are mirrors: all of them are the user's. Earlier versions put those of a
    /// document among them.
    case areMirrorsGiven
  }

  init(_ spec: TransferSpec) {
    options = spec.options
    nameOrigin = spec.name?.origin ?? .user
    minimumReach = spec.source.minimumReach
  }

  /// Whether the column has anything to say.
  var isEmpty: Bool { options == .none && nameOrigin == .user && minimumReach == .machine }

  /// Completes a request that has been read from the other columns.
  ///
  /// - Parameter name: the column `name`.
  static func complete(_ spec: inout TransferSpec, name: String?, _ stored: StoredOptions?) {
    spec.options = stored?.options ?? .none
    spec.source = ChainedURL(spec.url, namedBy: stored?.minimumReach ?? .machine)
    spec.name = name.flatMap { FileName(recorded: $0, stored?.nameOrigin ?? .user) }
  }

  init(from decoder: any Decoder) throws {
    options = try TransferOptions(from: decoder)
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let isForeign = try container.decodeIfPresent(Bool.self, forKey: .isNameForeign) ?? false
    nameOrigin = isForeign ? .foreign : .user
    minimumReach =
      try container.decodeIfPresent(NetworkReach.self, forKey: .minimumReach) ?? .machine
    let areGiven = try container.decodeIfPresent(Bool.self, forKey: .areMirrorsGiven) ?? false
    if !options.mirrors.isEmpty, !areGiven {
      // It cannot be told who has named them, nor whether their document has also chosen the URL
      // and the name.
      options.described = DescribedFile(
        copies: options.mirrors.map { ChainedURL($0, namedBy: .world) })
      options.mirrors = []
      minimumReach = .world
      nameOrigin = .foreign
    }
  }

  func encode(to encoder: any Encoder) throws {
    try options.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    if nameOrigin == .foreign { try container.encode(true, forKey: .isNameForeign) }
    if minimumReach > .machine { try container.encode(minimumReach, forKey: .minimumReach) }
    if !options.mirrors.isEmpty { try container.encode(true, forKey: .areMirrorsGiven) }
  }
}
