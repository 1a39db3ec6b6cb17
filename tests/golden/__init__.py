"""Golden cases: does this YAML mean that configuration?"""
