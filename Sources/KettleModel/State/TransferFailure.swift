/// The reason why a transfer failed or waits: a value that is stored, sent and shown.
///
/// `subject` is what it failed on (a host, a path, a URL without credentials); `detail` comes from
/// outside (a status, the name of an errno). The sentence is made in one place, `sentence`.
public struct TransferFailure: Error, Hashable, Sendable, Codable {
  public enum Code: String, Sendable, Codable, CaseIterable {
    // The request
    case badURL, tooManyRedirects, redirectRefused
    // The server's answer
    case httpStatus, rangeReplyWrong, encodedReply, loginNeeded, linkExpired
    /// Other bytes than those that are already durable.
    case otherVersion
    /// A fresh link that leads to another file.
    case otherFile
    /// A response that contradicts itself, or an earlier response for the same version.
    case contradictoryReply
    // The way there
    case hostNotFound, connectionRefused, connectionLost, timedOut, tlsRefused, proxyFailed
    /// This machine has no way to the host: no route, no interface that is up.
    case networkDown
    case protocolBroken, certificateFileUnusable
    /// The server requires one, or refuses the one that it received.
    case clientCertificateNeeded
    // The body
    case truncated, tooLong
    // The file
    case directoryMissing, directoryUnwritable, diskFull, nameTaken, fileProblem, checksumMismatch
    case partialFileChanged
    // The request's body
    case uploadFileUnusable
    // What was decided
    /// By the program, or by the user in its place.
    case cancelled
    /// What the program made a condition does not hold; the subject is a `TransferCondition`.
    case conditionUnmet
    // Ourselves
    case internalProblem
  }

  public var code: Code
  public var subject: String
  public var detail: String?

  public init(_ code: Code, on subject: String, detail: String? = nil) {
    self.code = code
    self.subject = subject
    self.detail = detail
  }
}
