/// Why the service of another machine cannot be talked to.
package struct RemoteError: Error, Hashable, Sendable {
  package enum Why: Hashable, Sendable {
    /// There is no ssh here, or it cannot be run: the number of errno.
    case cannotRunSSH(code: Int32)
    /// ssh does not get there, or is not let in.
    case unreachable
    /// The other machine has no `kettle` where ssh looks for programs.
    case noProgram
    /// The `kettle` there does not know what it is asked; the versions, where they are known.
    case otherVersion(ours: Int, theirs: String?)
    /// No service runs there, and starting one was not asked for.
    case notRunning
    /// The `kettle` there cannot reach its service.
    case noService
    /// It ended, or said nothing for too long.
    case ended
  }

  package var host: RemoteHost
  package var why: Why
  /// What ssh, or the other machine, said; it comes from outside.
  package var said: String

  package init(host: RemoteHost, why: Why, said: String = "") {
    self.host = host
    self.why = why
    self.said = said
  }
}
