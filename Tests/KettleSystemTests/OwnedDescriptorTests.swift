import Glibc
import KettleSystem
import Testing

struct OwnedDescriptorTests {
  @Test
  func `a descriptor is open during its owner's lifetime and closed afterwards`() throws {
    let number = try openFull()
    do {
      let owner = OwnedDescriptor(owning: number)
      #expect(fcntl(owner.number, F_GETFD) >= 0)
    }
    // Another test may have reused the number by now, so compare the file behind it.
    #expect(!isFull(number))
  }

  @Test
  func `a released descriptor stays open`() throws {
    let number = OwnedDescriptor(owning: try openFull()).release()
    defer { close(number) }
    #expect(isFull(number))
  }

  @Test
  func `a failed call produces no descriptor`() {
    #expect((OwnedDescriptor(opened: -1) == nil) as Bool)
    errno = 0
    let isMissing = OwnedDescriptor(opened: open("/no/such/file", O_RDONLY | O_CLOEXEC)) == nil
    #expect(isMissing && errno == ENOENT)
  }

  @Test
  func `a shared descriptor is closed with the last reference`() throws {
    let number = try openFull()
    var first: SharedDescriptor? = SharedDescriptor(OwnedDescriptor(owning: number))
    var second = first
    first = nil
    #expect(second?.number == number && isFull(number))
    second = nil
    #expect(!isFull(number))
  }

  private struct Unopened: Error {}

  private func openFull() throws -> Int32 {
    let number = open("/dev/full", O_RDONLY | O_CLOEXEC)
    guard number >= 0 else { throw Unopened() }
    return number
  }

  private func isFull(_ number: Int32) -> Bool {
    var status = stat()
    return fstat(number, &status) == 0 && status.st_rdev == makedev(1, 7)
  }

  private func makedev(_ major: UInt64, _ minor: UInt64) -> UInt64 { major << 8 | minor }
}
