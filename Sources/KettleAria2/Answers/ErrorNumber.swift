import KettleModel

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
    switch download.row.reason {
    case .needsLogin: self = .login
    case .needsLink:
      let number = download.row.error.map { ErrorNumber($0) } ?? .httpResponse
      self = number == .notFound ? .notFound : .httpResponse
    case nil, .retry, .retryAfter, .network, .hostUnreachable, .proxy, .diskSpace, .discretionary,
      .needsDecision:
      self =
        download.row.state == .completed
        ? .none : download.row.error.map { ErrorNumber($0) } ?? .unknown
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
    case .metalinkUnusable: self = .metalinkUnusable
    case .directoryMissing, .directoryUnwritable: self = .directoryProblem
    case .diskFull: self = .diskFull
    case .nameTaken, .notContinued: self = .fileExists
    case .fileProblem, .partialFileChanged, .unpackingFailed: self = .fileProblem
    case .checksumMismatch: self = .checksum
    case .cancelled: self = .removed
    case .badURL, .checksumListUnusable, .playlistUnusable, .liveStream, .certificateFileUnusable,
      .headersFileUnusable, .uploadFileUnusable, .conditionUnmet, .internalProblem:
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
