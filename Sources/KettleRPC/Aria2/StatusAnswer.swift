import KettleModel

/// The answers about single downloads: those of `aria2.tellStatus` and its relatives, and of
/// `aria2.getFiles` and `aria2.getUris`.
package enum StatusAnswer {
  /// Fields that the row alone does not have.
  package static let fieldsOfRecord = ["dir", "files", "bitfield"]

  /// The fields of a download that exist and were asked for.
  package static func fields(of download: RPCDownload, _ keys: StatusKeys) -> RPCValue {
    let row = download.row
    let pieces = Pieces(byteCount: row.bytesExpected)
    var fields: [String: RPCValue] = [
      "gid": .text(download.gid.description), "status": .text(download.status.rawValue),
      "totalLength": .number(row.bytesExpected ?? 0),
      "completedLength": .number(row.bytesReceived), "uploadLength": "0",
      "downloadSpeed": .number(download.status == .active ? row.bytesPerSecond : 0),
      "uploadSpeed": "0", "connections": .number(row.connections),
      "numPieces": .number(pieces.count), "pieceLength": .number(pieces.byteCount),
    ]
    if keys.contains("dir") { fields["dir"] = .text(directory(of: download)) }
    if keys.contains("files") { fields["files"] = files(of: download) }
    if keys.contains("bitfield"), let bits = bitfield(of: download, pieces) {
      fields["bitfield"] = .text(bits)
    }
    if row.state == .verifying { fields["verifiedLength"] = "0" }
    if download.status.isStopped {
      let number = ErrorNumber(of: download)
      fields["errorCode"] = .number(number.rawValue)
      fields["errorMessage"] = .text(number == .none ? "" : row.problemSentence ?? "")
    }
    return .object(fields.filter { keys.contains($0.key) })
  }

  /// One file in a list.
  package static func files(of download: RPCDownload) -> RPCValue {
    let row = download.row
    return [
      [
        "index": "1", "path": .text(row.path ?? ""), "length": .number(row.bytesExpected ?? 0),
        "completedLength": .number(row.bytesReceived), "selected": "true",
        "uris": uris(of: download),
      ]
    ]
  }

  /// The URL and its mirrors.
  package static func uris(of download: RPCDownload) -> RPCValue {
    let others = download.record?.spec.options.otherSources.map(\.url.text) ?? []
    return .list(
      ([download.row.url] + others).enumerated().map { index, url in
        ["uri": .text(url), "status": index == 0 ? "used" : "waiting"]
      })
  }

  /// The servers of the connections that are open.
  package static func servers(_ connections: [ConnectionDetails], url: String) -> RPCValue {
    let servers = connections.map { connection -> RPCValue in
      [
        "uri": .text(url), "currentUri": .text(connection.url),
        "downloadSpeed": .number(connection.bytesPerSecond),
      ]
    }
    return [["index": "1", "servers": .list(servers)]]
  }

  private static func directory(of download: RPCDownload) -> String {
    if let path = download.row.path, let slash = path.lastIndex(of: "/"), slash > path.startIndex {
      return String(path[..<slash])
    }
    return download.record?.spec.directory ?? download.directory ?? ""
  }

  private static func bitfield(of download: RPCDownload, _ pieces: Pieces) -> String? {
    guard let total = download.row.bytesExpected, total > 0 else { return nil }
    if download.row.state == .completed { return pieces.bitfield { _ in true } }
    return pieces.bitfield { download.received.contains($0) }
  }
}

/// The equal parts that a file is shown in.
struct Pieces {
  let count: Int64
  /// The length of each but the last one.
  let byteCount: Int64
  private let total: Int64

  /// aria2's length of a piece, and how many of them are shown at most.
  private static let smallest: Int64 = 1 << 20
  private static let countMax: Int64 = 4096

  init(byteCount total: Int64?) {
    self.total = max(0, total ?? 0)
    var length = Self.smallest
    while (self.total - 1) / length >= Self.countMax, length < Int64.max / 2 { length *= 2 }
    byteCount = length
    count = self.total == 0 ? 0 : (self.total - 1) / length + 1
  }

  /// Hexadecimal digits; the first piece is the highest bit.
  func bitfield(isHeld: (ByteRange) -> Bool) -> String {
    var bytes = [UInt8](repeating: 0, count: Int((count + 7) / 8))
    for piece in 0..<count {
      let lower = piece * byteCount
      let upper = lower + min(byteCount, total - lower)
      guard let range = ByteRange(lower: lower, upper: upper), isHeld(range) else { continue }
      bytes[Int(piece / 8)] |= 0x80 >> UInt8(piece % 8)
    }
    return bytes.hexadecimal
  }
}

/// A transfer as the RPC reports it.
package struct RPCDownload: Hashable, Sendable {
  package var gid: GID
  package var row: TransferSnapshot
  /// nil if only fields of the row were asked for.
  package var record: TransferRecord?
  /// The bytes of the file that are here.
  package var received = ByteRangeSet()
  /// Where the file goes, if its path is not known yet.
  package var directory: String?
  /// Whether a client removed it while it was unfinished.
  package var isRemoved = false

  package init(
    gid: GID, row: TransferSnapshot, record: TransferRecord? = nil,
    received: ByteRangeSet? = nil, directory: String? = nil
  ) {
    self.received = received ?? record?.resumeData?.durable ?? ByteRangeSet()
    self.gid = gid
    self.row = row
    self.record = record
    self.directory = directory
  }

  package var status: RPCStatus { isRemoved ? .removed : RPCStatus(row.state, row.reason) }
}

/// The states of aria2.
package enum RPCStatus: String, Hashable, Sendable {
  case active, waiting, paused, error, complete, removed

  package init(_ state: TransferState, _ reason: WaitingReason?) {
    switch RowFilter.Stage(state, reason) {
    case .active: self = .active
    case .pending: self = state == .paused || state == .idle ? .paused : .waiting
    case .ended: self = state == .completed ? .complete : .error
    }
  }

  /// Whether nothing more happens to it.
  package var isStopped: Bool {
    switch self {
    case .error, .complete, .removed: true
    case .active, .waiting, .paused: false
    }
  }
}

/// Why a download stopped, as aria2's exit codes say it (aria2c(1), "EXIT STATUS"). Front ends
/// translate the numbers.
package enum ErrorNumber: Int, Hashable, Sendable {
  case none = 0
  case unknown = 1
  case timedOut = 2
  case notFound = 3
  case network = 6
  case cannotResume = 8
  case diskFull = 9
  case fileExists = 13
  case fileProblem = 17
  case directoryProblem = 18
  case nameNotResolved = 19
  case metalinkUnusable = 20
  case httpResponse = 22
  case redirects = 23
  case login = 24
  case overloaded = 29
  case removed = 31
  case checksum = 32

  package init(of download: RPCDownload) {
    if download.isRemoved {
      self = .removed
      return
    }
    let number = download.row.error.map { ErrorNumber($0) }
    if download.row.reason == .needsLogin {
      self = .login
    } else if download.row.reason == .needsLink {
      self = number == .notFound ? .notFound : .httpResponse
    } else {
      self = download.row.state == .completed ? .none : number ?? .unknown
    }
  }

  package init(_ failure: TransferFailure) {
    switch failure.code {
    case .tooManyRedirects, .redirectRefused: self = .redirects
    case .httpStatus: self = Self.status(failure.detail ?? "")
    case .rangeReplyWrong, .otherVersion, .otherFile: self = .cannotResume
    case .loginNeeded, .proxyLoginNeeded, .clientCertificateNeeded: self = .login
    case .linkExpired, .encodedReply, .webPage, .contradictoryReply, .tooLong, .protocolBroken:
      self = .httpResponse
    case .hostNotFound, .nameServerSilent: self = .nameNotResolved
    case .timedOut: self = .timedOut
    case .connectionRefused, .connectionLost, .tlsRefused, .proxyFailed, .noDataConnection,
      .proxyUnreachable, .networkDown, .truncated:
      self = .network
    case .metalinkUnusable, .torrentUnusable, .listUnusable: self = .metalinkUnusable
    case .directoryMissing, .directoryUnwritable: self = .directoryProblem
    case .diskFull: self = .diskFull
    case .nameTaken, .notContinued: self = .fileExists
    case .fileProblem, .partialFileChanged, .unpackingFailed: self = .fileProblem
    case .checksumMismatch, .wrongPiece: self = .checksum
    case .cancelled: self = .removed
    case .badURL, .checksumListUnusable, .playlistUnusable, .liveStream, .certificateFileUnusable,
      .headersFileUnusable, .uploadFileUnusable, .storeRefused, .storeUnavailable, .uploadGone,
      .conditionUnmet, .membersUnfinished, .membersFailed, .internalProblem:
      self = .unknown
    }
  }

  private static func status(_ detail: String) -> ErrorNumber {
    switch detail.prefix(3) {
    case "404", "410": .notFound
    case "503", "429": .overloaded
    case "401", "407": .login
    default: .httpResponse
    }
  }
}
