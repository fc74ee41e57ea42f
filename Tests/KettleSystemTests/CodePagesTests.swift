import Testing

@testable import KettleSystem

/// Pages of code that may be given back.
struct CodePagesTests {
  private func mapping(_ head: String, anonymous: Int) -> String {
    "\(head)\nSize: 8 kB\nRss: 8 kB\nAnonymous: \(anonymous) kB\nVmFlags: rd ex mr mw me\n"
  }

  @Test func `only code of files without pages of its own is given back`() {
    let maps =
      mapping("1000-3000 r-xp 00000000 08:01 77 /usr/bin/kettle", anonymous: 0)
      + mapping("3000-5000 r--p 00002000 08:01 77 /usr/bin/kettle", anonymous: 0)
      + mapping("5000-7000 rw-p 00004000 08:01 77 /usr/bin/kettle", anonymous: 8)
      + mapping("7f0000001000-7f0000002000 r-xp 00000000 08:01 78 /lib/a b.so", anonymous: 0)
      + mapping("7f0000002000-7f0000003000 r-xp 00000000 08:01 79 /lib/changed.so", anonymous: 4)
      + mapping("7f0000004000-7f0000005000 r-xp 00000000 00:00 0 [vdso]", anonymous: 0)
      + "7f0000006000-7f0000005000 r-xp 00000000 08:01 80 /x\nAnonymous: 0 kB\n"
    #expect(
      AddressSpace.unmodifiedCode(in: maps) == [
        0x1000..<0x3000, 0x7f00_0000_1000..<0x7f00_0000_2000,
      ])
    #expect(AddressSpace.unmodifiedCode(in: "").isEmpty)
  }

  @Test func `the program goes on without its pages of code`() {
    AddressSpace.returnCode()
    #expect(AddressSpace.hasRoom(for: 1))
  }
}
