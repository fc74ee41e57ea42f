import Glibc
import KettleSystem
import Testing

struct AddressSpaceTests {
  @Test
  func `the address space has room for a page but not for excessive sizes`() {
    #expect(AddressSpace.hasRoom(for: 4096))
    #expect(!AddressSpace.hasRoom(for: UInt64.max))
    #expect(!AddressSpace.hasRoom(for: 1 << 62))
  }

  @Test
  func `the stack size of a thread follows the resource limit`() {
    var limit = rlimit()
    #expect(getrlimit(__rlimit_resource_t(RLIMIT_STACK.rawValue), &limit) == 0)
    let expected = limit.rlim_cur == .max ? 2 << 20 : UInt64(limit.rlim_cur)
    #expect(AddressSpace.threadStackByteCount == expected)
  }
}
