import Testing

@testable import KettleModel

struct FileIdentityTests {
  private let file = FileIdentity(device: 1, inode: 2, byteCount: 3, modifiedNanoseconds: 4)

  @Test func `a modified file has the same inode but a different identity`() {
    var written = file
    written.byteCount = 9
    written.modifiedNanoseconds = 9
    #expect(written.isSameInode(as: file))
    #expect(written != file)
  }

  @Test func `the same inode number on another device is a different file`() {
    var other = file
    other.device = 9
    #expect(!other.isSameInode(as: file))
    var replaced = file
    replaced.inode = 9
    #expect(!replaced.isSameInode(as: file))
  }
}
