/// The reason why a transfer failed or waits. It is stored and sent to clients.
///
/// `subject` is a host, a path or a URL without credentials. `detail` comes from outside, such as
/// an HTTP status or an error message of the system. `sentence` turns all three into English.
public struct TransferFailure: Error, Hashable, Sendable, Codable {
  public enum Code: String, Sendable, Codable, CaseIterable {
    // The request
    case badURL, tooManyRedirects, redirectRefused
    // The response
    case httpStatus, rangeReplyWrong, loginNeeded, linkExpired
    /// Recorded by earlier versions, which did not store a response that the server compresses.
    case encodedReply
    /// The server has another version than the durable bytes.
    case otherVersion
    /// The replacement URL leads to another file.
    case otherFile
    /// A web page arrived in place of the file; the detail is its title.
    case webPage
    /// A response that contradicts itself, or an earlier response for the same version.
    case contradictoryReply
    /// A list of checksums has no line for the file, or is none.
    case checksumListUnusable
    /// A Metalink that describes no file or several; the detail says why.
    case metalinkUnusable
    /// A playlist that cannot be joined into a file; the detail says why.
    case playlistUnusable
    /// A playlist without an end.
    case liveStream
    // The network
    case hostNotFound
    /// The name servers did not respond or could not answer.
    case nameServerSilent
    case connectionRefused, connectionLost, timedOut, tlsRefused, proxyFailed
    /// An FTP server whose control connection responds, but not the one for the file.
    case noDataConnection
    /// The subject of these two is the proxy.
    case proxyUnreachable, proxyLoginNeeded
    /// This machine has no route to the host or no interface that is up.
    case networkDown
    case protocolBroken, certificateFileUnusable
    /// The server requires a client certificate or refused the one it received.
    case clientCertificateNeeded
    /// The file with the user's headers for a host; the subject is its path.
    case headersFileUnusable
    // The response body
    case truncated, tooLong
    // The file
    case directoryMissing, directoryUnwritable, diskFull, nameTaken, fileProblem, checksumMismatch
    case partialFileChanged
    /// What another program has left under the name was not written from its beginning on.
    case notContinued
    /// The compressed bytes are damaged, or no library on this machine can unpack them.
    case unpackingFailed
    // The request body
    case uploadFileUnusable
    // Decisions
    /// By the program, or by the user on its behalf.
    case cancelled
    /// A condition of the program is not met; the subject is a `TransferCondition`.
    case conditionUnmet
    // Kettle itself
    case internalProblem
  }

  public var code: Code
  public var subject: String
  public var detail: String?
  /// With `tlsRefused`: the certificate or host key that is not trusted, if the user can decide to
  /// trust it.
  public var certificate: ServerCertificate?

  public init(_ code: Code, on subject: String, detail: String? = nil) {
    self.code = code
    self.subject = subject
    self.detail = detail
  }
}

extension TransferFailure {
  /// The name is taken by a file, and not by a directory or a dangling link, which `detail` would
  /// say. With `ConflictPolicy.skip` the transfer is then complete.
  package var isOfFileThere: Bool { code == .nameTaken && detail == nil }
}
