/// How a `ScriptedFTPServer` answers about its only file.
package struct FTPBehavior: Sendable {
  package enum Restart: Sendable {
    case honoured
    /// With 502.
    case refused
    /// It says that it resumes, and sends the file from its first byte.
    case ignored
  }

  package enum DataConnection: Sendable {
    case open
    /// The port refuses.
    case refused
    /// The port neither accepts nor refuses.
    case silent(port: Int)
    /// EPSV and PASV get this reply.
    case reply(String)
    /// PASV alone, which names another address.
    case elsewhere
  }

  /// How the data connection ends, before the file does.
  package struct Cut: Sendable {
    package var after: Int64
    package var isReset = false
    /// What follows on the control connection; nil: it is closed.
    package var reply: String?

    package init(after: Int64, isReset: Bool = false, reply: String? = nil) {
      self.after = after
      self.isReset = isReset
      self.reply = reply
    }
  }

  /// The data connection stays open after so many bytes until the gate opens.
  package struct Hold: Sendable {
    package var after: Int64
    package var gate: Gate

    package init(after: Int64, _ gate: Gate) {
      self.after = after
      self.gate = gate
    }
  }

  package var body: SeededBody
  package var greeting = "220 ready"
  /// The reply to USER.
  package var user = "331 password"
  /// nil lets everyone in.
  package var password: String?
  /// The reply to the first `count` passwords.
  package var loginRefusal: (reply: String, count: Int)?
  /// What it says about the size; nil: the truth. Empty: that it does not know SIZE.
  package var size: String?
  /// The reply to MDTM.
  package var modified = "213 20240102030405"
  package var restart = Restart.honoured
  package var data = DataConnection.open
  /// The reply to RETR; nil: it sends the file.
  package var refusal: String?
  package var cut: Cut?
  /// The reply after the file; nil: none ever.
  package var end: String? = "226 sent"
  /// The reply to RETR when it sends the file.
  package var opening = "150 sending"
  /// Where sending waits, possibly behind the last byte; nil: nowhere.
  package var hold: Hold?

  /// What LIST sends, by the path of the directory; any other one does not exist.
  package var listings: [String: String] = [:]

  package init(_ body: SeededBody) { self.body = body }

  package func with(_ change: (inout FTPBehavior) -> Void) -> FTPBehavior {
    var changed = self
    change(&changed)
    return changed
  }
}
