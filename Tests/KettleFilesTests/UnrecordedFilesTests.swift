import Glibc
import KettleEngine
import KettleModel
import Testing

@testable import KettleFiles

struct UnrecordedFilesTests {
  private let scratch: ScratchDirectory
  private let path: String

  init() throws {
    scratch = try ScratchDirectory()
    path = scratch.path + "/unrecorded"
  }

  private func identity(_ inode: UInt64, _ name: String = "a b.part") -> PartialIdentity {
    PartialIdentity(path: "/d/" + name, device: 7, inode: inode)
  }

  private func id(_ number: Int64) -> TransferID { TransferID(rawValue: number) }

  private func file(_ number: Int64, _ identity: PartialIdentity) -> UnrecordedFile {
    UnrecordedFile(id: number == 0 ? nil : id(number), identity: identity)
  }

  @Test func `a noted file is left for the next run until it is forgotten`() {
    let first = UnrecordedFiles(path: path)
    first.note(identity(1), of: nil)
    first.note(identity(1), of: id(1))
    first.note(identity(2), of: id(2))
    first.note(identity(3), of: nil)
    first.forget([identity(2)])
    // Another file that had the same inode.
    first.forget([identity(3, "other.part")])
    let next = UnrecordedFiles(path: path)
    #expect(next.left == [file(1, identity(1)), file(0, identity(3))])
    // Until the entry is forgotten, another kill changes nothing.
    #expect(UnrecordedFiles(path: path).left == next.left)
    next.forget([identity(1)])
    next.forget([identity(3)])
    #expect(UnrecordedFiles(path: path).left.isEmpty)
  }

  @Test func `nothing is left after a reboot`() {
    UnrecordedFiles(path: path, boot: "one").note(identity(1), of: id(1))
    #expect(UnrecordedFiles(path: path, boot: "two").left.isEmpty)
    #expect(UnrecordedFiles(path: path, boot: "one").left.isEmpty)
  }

  @Test func `invalid lines are ignored`() throws {
    let first = UnrecordedFiles(path: path, boot: "b")
    first.note(identity(1), of: id(1))
    first.note(identity(2, "two\nlines.part"), of: id(2))
    let text =
      "boot b\n+ 3 7 3 /d/c.iso\n+ 4 7 x /d/d.part\n+ 5 7 5 e.part\n+ 6 7\n- y\n"
      + "+ 7 7 7 /d/g.part\n+ 8 7 8 /d/h.pa"
    let list = try #require(fopen(path, "w"))
    fputs(text, list)
    fclose(list)
    #expect(UnrecordedFiles(path: path, boot: "b").left == [file(7, identity(7, "g.part"))])
  }

  @Test func `the list does not grow with the number of files`() throws {
    let files = UnrecordedFiles(path: path)
    for number in 1...4000 {
      files.note(identity(UInt64(number)), of: id(Int64(number)))
      if number > 1 { files.forget([identity(UInt64(number))]) }
    }
    var status = stat()
    try #require(stat(path, &status) == 0)
    #expect(status.st_size < 70 << 10)
    #expect(UnrecordedFiles(path: path).left == [file(1, identity(1))])
  }

  @Test func `a new file is listed under its actual name`() throws {
    let storage = POSIXFileStorage(documentsDirectory: scratch.path, unrecordedPath: path)
    let other = open(scratch.path + "/a.part", O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
    try #require(other >= 0)
    close(other)
    let made = try storage.createPartialFile(
      in: scratch.path, preferredName: "a", onConflict: .rename)
    #expect(made.path == scratch.path + "/a (2).part")
    let identity = PartialIdentity(path: made.path, device: made.device, inode: made.inode)
    storage.noteUnrecorded(identity, of: id(5))
    let second = try storage.createPartialFile(
      in: scratch.path, preferredName: "b", onConflict: .rename)
    let third = try storage.createPartialFile(
      in: scratch.path, preferredName: "c", onConflict: .rename)
    storage.forgetUnrecorded([
      PartialIdentity(path: third.path, device: third.device, inode: third.inode)
    ])
    let left = UnrecordedFiles(path: path).left
    #expect(Set(left.map(\.identity.path)) == [made.path, second.path])
    #expect(left.contains(file(5, identity)))
    #expect(left.contains { $0.id == nil && $0.identity.inode == second.inode })
  }

  @Test func `a file removed before it is recorded leaves the list`() throws {
    let storage = POSIXFileStorage(documentsDirectory: scratch.path, unrecordedPath: path)
    let made = try storage.createPartialFile(
      in: scratch.path, preferredName: "a", onConflict: .rename)
    #expect(UnrecordedFiles(path: path).left.count == 1)
    storage.removePartialFile(
      PartialIdentity(path: made.path, device: made.device, inode: made.inode))
    #expect(access(made.path, F_OK) != 0)
    #expect(UnrecordedFiles(path: path).left.isEmpty)
  }

  @Test func `without a writable list nothing is remembered and nothing fails`() {
    let files = UnrecordedFiles(path: scratch.path + "/missing/list")
    files.note(identity(1), of: id(1))
    files.forget([identity(1)])
    #expect(UnrecordedFiles(path: nil).left.isEmpty)
  }
}
