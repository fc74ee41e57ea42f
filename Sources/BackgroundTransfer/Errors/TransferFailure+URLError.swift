import Foundation
import FoundationNetworking
import KettleModel

extension TransferFailure.Code {
  /// The nearest of Apple's codes (NSURLError.h). A task fails with an error status only if it has
  /// a destination; otherwise the status is a success, as on Apple's systems.
  var urlErrorCode: URLError.Code {
    switch self {
    case .badURL: .badURL
    case .tooManyRedirects: .httpTooManyRedirects
    case .redirectRefused: .redirectToNonExistentLocation
    case .httpStatus, .rangeReplyWrong, .otherVersion, .otherFile, .contradictoryReply,
      .webPage, .protocolBroken, .checksumListUnusable, .metalinkUnusable, .playlistUnusable,
      .liveStream:
      .badServerResponse
    case .encodedReply, .unpackingFailed: .cannotDecodeContentData
    case .loginNeeded: .userAuthenticationRequired
    case .linkExpired: .resourceUnavailable
    case .hostNotFound: .cannotFindHost
    case .nameServerSilent: .dnsLookupFailed
    case .connectionRefused, .proxyFailed, .proxyUnreachable, .proxyLoginNeeded:
      .cannotConnectToHost
    case .connectionLost, .noDataConnection, .truncated: .networkConnectionLost
    case .timedOut: .timedOut
    case .tlsRefused: .serverCertificateUntrusted
    case .networkDown: .notConnectedToInternet
    case .certificateFileUnusable: .clientCertificateRejected
    case .clientCertificateNeeded: .clientCertificateRequired
    case .headersFileUnusable: .userAuthenticationRequired
    case .tooLong: .dataLengthExceedsMaximum
    case .directoryMissing, .directoryUnwritable: .cannotCreateFile
    case .diskFull, .fileProblem: .cannotWriteToFile
    case .nameTaken, .notContinued: .cannotMoveFile
    case .checksumMismatch: .cannotDecodeRawData
    case .partialFileChanged: .downloadDecodingFailedMidStream
    case .uploadFileUnusable: .fileDoesNotExist
    case .cancelled: .cancelled
    case .conditionUnmet: .dataNotAllowed
    case .internalProblem: .unknown
    }
  }
}
