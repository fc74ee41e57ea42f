/// Makes a failing input as small as it gets.
struct Minimizer<Part: FuzzPart> {
  let part: Part
  /// How many inputs are tried. An input whose failure depends on timing may not fail again.
  let checkCountMax: Int

  /// Returns the smallest input that was found to fail, and what is wrong with it.
  func minimal(_ input: Part.Input, _ finding: String) async -> (Part.Input, String) {
    var (smallest, itsFinding) = (input, finding)
    var tried: Set<Part.Input> = [input]
    var isSmaller = true
    while isSmaller {
      isSmaller = false
      for candidate in part.simplifications(of: smallest) where tried.insert(candidate).inserted {
        guard tried.count <= checkCountMax else { return (smallest, itsFinding) }
        guard let found = await part.finding(for: candidate) else { continue }
        (smallest, itsFinding) = (candidate, found)
        isSmaller = true
        break
      }
    }
    return (smallest, itsFinding)
  }
}
