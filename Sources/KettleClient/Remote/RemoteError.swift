/// Why the service of another machine cannot be used.
package struct RemoteError: Error, Hashable, Sendable {
  package enum Why: Hashable, Sendable {
    /// ssh is missing here or cannot be run; `code` is an errno value.
    case cannotRunSSH(code: Int32)
    /// ssh cannot reach the machine, or is refused.
    case unreachable
    /// The other machine has no `kettle` where ssh looks for programs.
    case noProgram
    /// The `kettle` there does not know the request; the versions, where known.
    case otherVersion(ours: Int, theirs: String?)
    /// No service runs there, and starting one was not requested.
    case notRunning
    /// The service there does not answer, or has stopped to.
    case notAnswering
    /// The `kettle` there cannot reach its service.
    case noService
    /// It ended, or sent nothing for too long.
    case ended
  }

  package var host: RemoteHost
  package var why: Why
  /// The output of ssh or of the other machine; untrusted.
  package var said: String

  package init(host: RemoteHost, why: Why, said: String = "") {
    self.host = host
    self.why = why
    self.said = said
  }
}
