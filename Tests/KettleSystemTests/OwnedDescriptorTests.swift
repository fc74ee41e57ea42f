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

  // Fault 174
  @Test(arguments: [0, 1, 2] as [Int32])
  func `an owner never has the number of a standard descriptor`(number: Int32) async throws {
    await #expect(processExitsWith: .success) { [number] in
      guard Self.openFull(as: number),
        let opened = OwnedDescriptor(opened: number), opened.number > 2,
        fcntl(number, F_GETFD) == -1
      else { exit(1) }
      guard Self.openFull(as: number) else { exit(2) }
      let owner = OwnedDescriptor(owning: number)
      exit(owner.number > 2 && fcntl(number, F_GETFD) == -1 ? 0 : 3)
    }
  }

  // Fault 173
  @Test(arguments: [0, 1, 2] as [Int32])
  func `an occupied descriptor is /dev/null and still cannot be used`(number: Int32) async {
    await #expect(processExitsWith: .success) { [number] in
      var status = stat()
      // Another thread of the test process may open something in between.
      for _ in 0..<100 where status.st_rdev != 1 << 8 | 3 {
        _ = Glibc.close(number)
        StandardDescriptors.occupy()
        _ = fstat(number, &status)
      }
      guard status.st_rdev == 1 << 8 | 3 else { exit(1) }
      var byte: UInt8 = 65
      let result = number == 0 ? read(number, &byte, 1) : write(number, &byte, 1)
      exit(result == -1 && errno == EBADF ? 0 : 2)
    }
  }

  /// Opens a file that has this number, which another thread of the test process may have taken.
  private static func openFull(as number: Int32) -> Bool {
    for _ in 0..<100 {
      _ = Glibc.close(number)
      let opened = open("/dev/full", O_RDONLY | O_CLOEXEC)
      if opened == number { return true }
      _ = Glibc.close(opened)
    }
    return false
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
