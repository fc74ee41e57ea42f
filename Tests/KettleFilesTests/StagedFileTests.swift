import Glibc
import KettleModel
import KettleSystem
import Testing

@testable import KettleFiles

/// Files of a fleet on the way to their places.
struct StagedFileTests {
  private let scratch: ScratchDirectory

  init() throws { scratch = try ScratchDirectory() }

  private var place: String { scratch.path }

  /// Stages a file for an owner.
  private func stage(_ owner: String, _ text: String = "data") throws -> String {
    let directory = place + "/" + StagedFile.directoryName
    mkdir(directory, 0o700)
    mkdir(directory + "/" + owner, 0o700)
    let path = directory + "/" + owner + "/a.bin"
    try FileReplacement.write(Array(text.utf8), to: path, mode: 0o644)
    return path
  }

  private func text(_ name: String) -> String? {
    guard case .bytes(let bytes) = FileContents.read(path: place + "/" + name, byteCountMax: 100)
    else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  private func put(_ text: String, _ name: String) throws {
    try FileReplacement.write(Array(text.utf8), to: place + "/" + name, mode: 0o644)
  }

  @Test func `a file is placed once, and again without an effect`() throws {
    let staged = StagedFile(at: try stage("1.7.1"))
    for _ in 0..<2 {
      let placing = try staged.place(in: place, as: "a.bin", replacing: false) { _ in false }
      #expect(placing == .placed)
    }
    #expect(text("a.bin") == "data")
    #expect(text("\(StagedFile.directoryName)/1.7.1/a.bin") == "data")
  }

  @Test func `another file keeps its name`() throws {
    try put("theirs", "a.bin")
    let staged = StagedFile(at: try stage("1.7.1"))
    let placing = try staged.place(in: place, as: "a.bin", replacing: false) { _ in true }
    #expect(placing == .taken)
    #expect(text("a.bin") == "theirs")
  }

  @Test func `the file of another claim of the transfer counts as placed`() throws {
    let first = StagedFile(at: try stage("1.7.1", "first"))
    _ = try first.place(in: place, as: "a.bin", replacing: false) { _ in false }
    let second = StagedFile(at: try stage("2.7.2", "second"))
    let ofOthers = try second.place(in: place, as: "a.bin", replacing: false) { $0 == "9.9.9" }
    let ofSame = try second.place(in: place, as: "a.bin", replacing: false) { $0 == "1.7.1" }
    #expect(ofOthers == .taken)
    #expect(ofSame == .placed)
    #expect(text("a.bin") == "first")
  }

  @Test func `a file is replaced only if that is asked`() throws {
    try put("old", "a.bin")
    let staged = StagedFile(at: try stage("1.7.1"))
    let placing = try staged.place(in: place, as: "a.bin", replacing: true) { _ in false }
    #expect(placing == .placed)
    #expect(text("a.bin") == "data")
  }

  @Test func `no name leads out of the directory`() throws {
    let staged = StagedFile(at: try stage("1.7.1"))
    for name in ["../a.bin", "", "..", "b/c"] {
      #expect(throws: TransferFailure.self) {
        try staged.place(in: place, as: name, replacing: false) { _ in false }
      }
    }
    StagedFile.discard("..", below: place)
    #expect(text("\(StagedFile.directoryName)/1.7.1/a.bin") == "data")
  }

  @Test func `a placed file is recognized by its link, or by its size and time`() throws {
    let staged = StagedFile(at: try stage("1.7.1"))
    let (byteCount, modified) = try staged.measure()
    func isPlaced(_ byteCount: Int64, _ modified: Int64, owner: String) -> Bool {
      StagedFile.isPlaced(
        "a.bin", in: place, byteCount: byteCount, modifiedNanoseconds: modified
      ) { $0 == owner }
    }
    #expect(!isPlaced(byteCount, modified, owner: "1.7.1"))
    _ = try staged.place(in: place, as: "a.bin", replacing: false) { _ in false }
    #expect(isPlaced(0, 0, owner: "1.7.1"))
    #expect(!isPlaced(0, 0, owner: "2.7.2"))
    StagedFile.discard("1.7.1", below: place)
    #expect(isPlaced(byteCount, modified, owner: "1.7.1"))
    #expect(!isPlaced(byteCount, modified + 1, owner: "1.7.1"))
    #expect(text("a.bin") == "data")
    #expect(access(place + "/" + StagedFile.directoryName, F_OK) != 0)
  }

  @Test func `only the own file is withdrawn`() throws {
    let staged = StagedFile(at: try stage("1.7.1"))
    try put("theirs", "b.bin")
    staged.withdraw("b.bin", from: place)
    #expect(text("b.bin") == "theirs")
    _ = try staged.place(in: place, as: "a.bin", replacing: false) { _ in false }
    staged.withdraw("a.bin", from: place)
    #expect(text("a.bin") == nil)
    #expect(text("\(StagedFile.directoryName)/1.7.1/a.bin") == "data")
  }

  @Test func `a link is not placed`() throws {
    let path = try stage("1.7.1")
    unlink(path)
    symlink("/etc/hostname", path)
    #expect(throws: TransferFailure.self) {
      try StagedFile(at: path).place(in: place, as: "a.bin", replacing: false) { _ in false }
    }
  }
}
