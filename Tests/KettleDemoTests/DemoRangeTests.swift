import KettleDemo
import Testing

struct DemoRangeTests {
  private func check(
    _ header: String?, of byteCount: Int64 = 1_000, is expected: DemoRange,
    sourceLocation location: SourceLocation = #_sourceLocation
  ) {
    #expect(DemoRange(header, byteCount: byteCount) == expected, sourceLocation: location)
  }

  @Test func `both ends are inclusive`() {
    check("bytes=0-0", is: .part(0..<1))
    check("bytes=0-499", is: .part(0..<500))
    check("bytes=500-999", is: .part(500..<1_000))
  }

  @Test func `an end beyond the file means the end of the file`() {
    check("bytes=999-1000", is: .part(999..<1_000))
    check("bytes=0-9223372036854775807", is: .part(0..<1_000))
    check("bytes=0-99999999999999999999999", is: .part(0..<1_000))
  }

  @Test func `an open end goes to the end of the file`() {
    check("bytes=0-", is: .part(0..<1_000))
    check("bytes=999-", is: .part(999..<1_000))
  }

  @Test func `a suffix counts from the end`() {
    check("bytes=-1", is: .part(999..<1_000))
    check("bytes=-1000", is: .part(0..<1_000))
    check("bytes=-99999999999999999999999", is: .part(0..<1_000))
  }

  @Test func `a start at or after the end is unsatisfiable`() {
    check("bytes=1000-", is: .unsatisfiable)
    check("bytes=1000-1001", is: .unsatisfiable)
    check("bytes=99999999999999999999999-", is: .unsatisfiable)
    check("bytes=-0", is: .unsatisfiable)
    check("bytes=0-", of: 0, is: .unsatisfiable)
    check("bytes=-5", of: 0, is: .unsatisfiable)
  }

  @Test(arguments: [
    nil, "", "bytes", "bytes=", "bytes=-", "bytes=5", "bytes=5-4", "bytes=a-b", "bytes=0-1,3-4",
    "bytes=+1-2", "bytes=1-2-3", "bytes=1 -2", "bytes=١-٢", "lines=1-2", "bytes 0-1",
  ])
  func `anything but a single range gets the complete file`(header: String?) {
    check(header, is: .whole)
  }

  @Test func `the range unit is case-insensitive`() {
    check("Bytes=1-2", is: .part(1..<3))
  }
}
