import Testing
import TestSupport

/// The arithmetic of the refetch ledger of the fault storms.
struct ByteCoverageTests {
  @Test func `ranges that touch or overlap are merged, and a byte counts once`() {
    var coverage = ByteCoverage()
    coverage.insert(0..<10)
    coverage.insert(20..<30)
    coverage.insert(5..<5)
    #expect(coverage.overlap(0..<100) == 20)
    #expect(coverage.overlap(8..<22) == 4)
    coverage.insert(10..<20)
    coverage.insert(25..<40)
    #expect(coverage.overlap(0..<100) == 40)
    #expect(coverage.overlap(40..<100) == 0)
  }
}
