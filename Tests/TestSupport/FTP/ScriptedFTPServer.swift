import Glibc
import KettleModel

/// An FTP server (RFC 959, RFC 3659) on the loopback with one file, which can lie about it.
package final class ScriptedFTPServer: Sendable {
  struct State: Sendable {
    var behavior: FTPBehavior
    /// By descriptor.
    var controls: Set<Int32> = []
    var commands: [String] = []
    var loginCount = 0
  }

  package let port: Int
  let state: Monitor<State>
  private let listener: LoopbackListener

  package init(_ behavior: FTPBehavior) throws(OriginError) {
    listener = try LoopbackListener()
    port = listener.port
    state = Monitor(State(behavior: behavior))
    OriginThread.start { [listener, state] in
      while let descriptor = listener.accept() {
        state.update { _ = $0.controls.insert(descriptor) }
        OriginThread.start {
          FTPConversation(descriptor, state).run()
          state.update { _ = $0.controls.remove(descriptor) }
          close(descriptor)
        }
      }
    }
  }

  deinit {
    listener.stop()
    state.update { state in
      for descriptor in state.controls { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }
  }

  /// Connections that begin from now on are answered like this.
  package func serve(_ behavior: FTPBehavior) { state.update { $0.behavior = behavior } }

  package var url: TransferURL {
    get throws { try TransferURL.parse("ftp://127.0.0.1:\(port)/dir/file.bin").get().url }
  }

  /// Without the passwords.
  package var commands: [String] { state.read(\.commands) }

  package func commands(_ verb: String) -> [String] {
    commands.filter { $0 == verb || $0.hasPrefix(verb + " ") }
  }
}
