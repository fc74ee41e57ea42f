import Glibc
import Testing
import TestSupport

@testable import KettleCurl

@Suite
struct TransportThreadTests {
  @Test func `nobody can cancel it, so its calls need not note where that could be`() throws {
    let found = Monitor<[Int32]>([])
    let thread = TransportThread {
      var state: Int32 = -1
      var type: Int32 = -1
      pthread_setcancelstate(Int32(PTHREAD_CANCEL_DISABLE), &state)
      pthread_setcanceltype(Int32(PTHREAD_CANCEL_ASYNCHRONOUS), &type)
      found.update { $0 = [state, type] }
    }
    try #require(thread).join()
    #expect(
      found.read { $0 }
        == [Int32(PTHREAD_CANCEL_DISABLE), Int32(PTHREAD_CANCEL_ASYNCHRONOUS)])
  }
}
