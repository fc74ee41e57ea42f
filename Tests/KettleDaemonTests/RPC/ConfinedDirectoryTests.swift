import FoundationEssentials
import Glibc
import KettleRPC
import KettleSystem
import Testing

@testable import KettleDaemon

/// Directories that clients of the RPC may have made.
final class ConfinedDirectoryTests {
  private let root: String

  init() throws {
    var template = Array("/tmp/kconf-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { throw SystemError(errno) }
    root = String(cString: made)
  }

  deinit { try? FileManager.default.removeItem(atPath: root) }

  private func exists(_ name: String) -> Bool { access(root + "/" + name, F_OK) == 0 }

  @Test func `missing directories are made`() throws {
    try ConfinedDirectory.make(root + "/a/b/c", below: [root])
    #expect(exists("a/b/c"))
    try ConfinedDirectory.make(root + "/a/b/c", below: [root])
  }

  @Test func `nothing is made outside`() throws {
    #expect(mkdir(root + "/in", 0o755) == 0)
    #expect(throws: RPCError.self) {
      try ConfinedDirectory.make(root + "/out/x", below: [root + "/in"])
    }
    #expect(throws: RPCError.self) {
      try ConfinedDirectory.make(root + "/inside", below: [root + "/in"])
    }
    #expect(!exists("out"))
    #expect(!exists("inside"))
  }

  @Test func `a link that leads out is refused, one within is followed`() throws {
    #expect(mkdir(root + "/in", 0o755) == 0)
    #expect(mkdir(root + "/out", 0o755) == 0)
    #expect(symlink(root + "/out", root + "/in/away") == 0)
    #expect(symlink(root + "/in", root + "/in/again") == 0)
    #expect(throws: RPCError.self) {
      try ConfinedDirectory.make(root + "/in/away/x", below: [root + "/in"])
    }
    #expect(!exists("out/x"))
    try ConfinedDirectory.make(root + "/in/again/x", below: [root + "/in"])
    #expect(exists("in/x"))
  }

  @Test func `a file in the way is a problem with a name`() throws {
    #expect(FileManager.default.createFile(atPath: root + "/f", contents: nil))
    do throws(RPCError) {
      try ConfinedDirectory.make(root + "/f/x", below: [root])
      Issue.record("made")
    } catch {
      #expect(error.message.contains("/f/x cannot be made"), "\(error.message)")
    }
  }

  @Test(.enabled(if: geteuid() != 0, "Root may write everywhere"))
  func `an unwritable directory is a problem with its reason`() throws {
    #expect(mkdir(root + "/locked", 0o555) == 0)
    do throws(RPCError) {
      try ConfinedDirectory.make(root + "/locked/x", below: [root])
      Issue.record("made")
    } catch {
      #expect(error.message.contains(SystemError(EACCES).message), "\(error.message)")
    }
  }
}
