import Foundation
import Glibc
import KettleControl
import KettleStarter
import KettleSystem
import TestSupport
import Testing

@testable import KettleSocket

/// Starting over ssh, with a script in its place.
@Suite(.timeLimit(.minutes(5)))
struct RemoteStarterTests {
  private let directory: String
  private let host: RemoteHost

  init() throws {
    directory = FileManager.default.temporaryDirectory.path + "/ssh-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    host = try #require(RemoteHost("me@box"))
  }

  private func starter(_ script: String?) throws -> RemoteStarter {
    if let script {
      try ShellProgram.write(
        "echo \"$@\" > \(directory)/words\n" + script, to: directory + "/ssh")
    }
    var starter = RemoteStarter(
      host: host, clientName: "test", environment: ["PATH": directory + ":/usr/bin:/bin"])
    if script == nil { starter.environment["PATH"] = directory }
    starter.mayAsk = false
    return starter
  }

  private func greeting(version: Int) -> String {
    """
    read line
    echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":\(version),"serviceVersion":"9"}}'
    cat > /dev/null

    """
  }

  @Test func `connecting over ssh greets the remote service`() async throws {
    let starter = try starter(greeting(version: ProtocolVersion.current))
    let service = try await starter.connect(startingIfNeeded: true)
    await service.close()
    let words = try String(contentsOfFile: directory + "/words", encoding: .utf8)
    #expect(words.hasSuffix(" -o BatchMode=yes -- me@box kettle daemon pipe\n"))
  }

  // Fault 178
  @Test func `a service that falls silent on the other machine ends the call with its words`()
    async throws
  {
    let hello = greeting(version: ProtocolVersion.current).replacing("cat > /dev/null\n", with: "")
    let script = hello + "read line; echo 'kettle: it is stopped' >&2; exit 75"
    let service = try await starter(script).connect(startingIfNeeded: true)
    let silent = RemoteError(host: host, why: .notAnswering, said: "kettle: it is stopped\n")
    await #expect(throws: silent) { try await service.call(ServiceStatus.self, Nothing()) }
    await service.close()
  }

  @Test func `any other end of ssh is a lost connection`() async throws {
    let hello = greeting(version: ProtocolVersion.current).replacing("cat > /dev/null\n", with: "")
    let service = try await starter(hello + "read line; exit 255").connect(startingIfNeeded: true)
    await #expect(throws: ClientError.connectionLost) {
      try await service.call(ServiceStatus.self, Nothing())
    }
    await service.close()
  }

  @Test func `ssh ends with the connection`() async throws {
    let starter = try starter("cat > /dev/null; exit 7")
    let shell = try RemoteShell.start(
      starter.arguments(startingIfNeeded: true), environment: starter.environment, mayAsk: false
    ).get()
    // Closed at once, because it is not retained.
    let wasOpen = shell.takeSocket() != nil
    let isGone = shell.takeSocket() == nil
    #expect(wasOpen && isGone)
    #expect(await shell.waitForEnd()?.rawValue == 7 << 8)
  }

  @Test func `the remote command has --if-running when no service may be started`() async throws {
    let starter = try starter("")
    #expect(starter.arguments(startingIfNeeded: false).last == "--if-running")
    #expect(!starter.arguments(startingIfNeeded: true).contains("--if-running"))
  }

  @Test func `ssh prompts only if the terminal is free`() async throws {
    var starter = try starter("")
    #expect(starter.arguments(startingIfNeeded: true).contains("BatchMode=yes"))
    starter.mayAsk = true
    #expect(starter.arguments(startingIfNeeded: true).contains("BatchMode=no"))
  }

  @Test(arguments: [
    ("echo 'Permission denied (publickey).' >&2; exit 255", RemoteError.Why.unreachable),
    ("echo 'sh: 1: kettle: not found' >&2; exit 127", .noProgram),
    ("echo 'kettle: Unknown argument' >&2; exit 2", .otherVersion(ours: 1, theirs: nil)),
    ("echo 'kettle: The service did not start' >&2; exit 3", .noService),
    ("echo 'kettle: The service does not answer' >&2; exit 75", .notAnswering),
    ("echo 'gone' >&2; exit 0", .ended),
    ("echo 'Killed' >&2; kill -9 $$", .ended),
  ])
  func `the exit status of ssh determines the reported reason`(script: String, why: RemoteError.Why)
    async throws
  {
    let starter = try starter(script)
    let error = await #expect(throws: RemoteError.self) {
      _ = try await starter.connect(startingIfNeeded: true)
    }
    #expect(error?.why == why)
    #expect(error?.said.isEmpty == false)
  }

  @Test func `a missing remote service is reported as such`() async throws {
    let starter = try starter("exit 69")
    await #expect(throws: RemoteError(host: host, why: .notRunning)) {
      _ = try await starter.connect(startingIfNeeded: false)
    }
  }

  @Test func `missing ssh is reported`() async throws {
    let starter = try starter(nil)
    await #expect(throws: RemoteError(host: host, why: .cannotRunSSH(code: ENOENT))) {
      _ = try await starter.connect(startingIfNeeded: true)
    }
  }

  @Test func `a different remote protocol is reported with both versions`() async throws {
    let starter = try starter(greeting(version: 99))
    let why = RemoteError.Why.otherVersion(ours: ProtocolVersion.current, theirs: "99")
    await #expect(throws: RemoteError(host: host, why: why)) {
      _ = try await starter.connect(startingIfNeeded: true)
    }
  }

  @Test func `the end of long output is kept`() async throws {
    let starter = try starter(
      "head -c 1000000 /dev/zero | tr '\\0' x >&2; echo last >&2; exit 255")
    let error = await #expect(throws: RemoteError.self) {
      _ = try await starter.connect(startingIfNeeded: true)
    }
    #expect(error?.said.utf8.count == 4096)
    #expect(error?.said.hasSuffix("xlast\n") == true)
  }
}
