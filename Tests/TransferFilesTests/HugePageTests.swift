import Testing
import TransferEngine

@testable import TransferFiles

/// Memory in huge pages, or in what the kernel gives instead.
struct HugePageTests {
  @Test func `its address is a multiple of its size, however many there are`() throws {
    let pages = try (0..<5).map { _ in try #require(HugePage.make()) }
    let starts = Set(pages.map { UInt(bitPattern: $0.bytes.baseAddress) })
    #expect(starts.count == 5)
    #expect(starts.allSatisfy { $0 % UInt(HugePage.byteCount) == 0 })
    #expect(pages.allSatisfy { $0.bytes.count == HugePage.byteCount })
  }

  @Test func `its first and last bytes can be written and are kept`() throws {
    let page = try #require(HugePage.make())
    page.bytes[0] = 1
    page.bytes[HugePage.byteCount - 1] = 2
    #expect(page.bytes[0] == 1)
    #expect(page.bytes[HugePage.byteCount - 1] == 2)
  }
}
