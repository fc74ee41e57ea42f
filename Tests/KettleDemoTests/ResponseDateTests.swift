import Testing

@testable import KettleDemo

struct ResponseDateTests {
  @Test(arguments: [
    (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
    (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
    (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
    (4_102_444_799, "Thu, 31 Dec 2099 23:59:59 GMT"),
  ])
  func `a date is in HTTP format`(seconds: Int, text: String) {
    #expect(ResponseDate.text(secondsSince1970: seconds) == text)
  }
}
